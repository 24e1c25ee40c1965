import type { JsonMap } from '../../../constructs/expr/json.ts';

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function metadataOf(object: JsonMap): Metadata {
  return object.metadata as unknown as Metadata;
}

export function identityOf(object: JsonMap): string {
  const { name, namespace } = metadataOf(object);
  return `${String(object.apiVersion)} ${String(object.kind)} ${namespace ?? ''}/${name}`;
}

/** Helm orders by kind, the constructs by file. @throws Error if an object is rendered twice. */
export function byIdentity(objects: readonly JsonMap[]): Readonly<Record<string, JsonMap>> {
  const entries = objects.map((object) => [identityOf(object), object] as const);
  const map = Object.fromEntries(entries);
  if (Object.keys(map).length < entries.length)
    throw new Error(
      `rendered twice: ${entries
        .map(([id]) => id)
        .sort()
        .join(', ')}`,
    );
  return map;
}

export function ofKind(objects: readonly JsonMap[], kind: string): readonly JsonMap[] {
  return objects.filter((object) => object.kind === kind);
}
