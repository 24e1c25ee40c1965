/**
 * Recognises an API by a field of its published schema. A name proves nothing: the CRDs of an uninstalled provider stay, and
 * other projects have served look-alikes under the same group and kind.
 */
import type { Client } from '../kube/client.ts';

export interface ApiField {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** A path of property names; `[]` steps into the items of a list. */
  readonly field: readonly string[];
}

export interface ApiSchemas {
  hasField(field: ApiField, signal: AbortSignal): Promise<boolean>;
}

type Document = { readonly [key: string]: unknown };

/**
 * Documents are kept until their hash in the OpenAPI index changes: they are large (that of Cilium is over 100 kB), the index is
 * small.
 */
export function createApiSchemas(client: Pick<Client, 'getJson'>): ApiSchemas {
  const kept = new Map<string, { readonly url: string; readonly document: Document }>();

  const load = async (path: string, url: string, signal: AbortSignal): Promise<Document> => {
    const known = kept.get(path);
    if (known?.url === url) return known.document;
    const document = asDocument(await client.getJson(url, { signal }));
    kept.set(path, { url, document });
    return document;
  };

  return {
    async hasField(field, signal) {
      const path = `apis/${field.group}/${field.version}`;
      const index = asDocument(await client.getJson('/openapi/v3', { signal }));
      const url = asDocument(asDocument(index.paths)[path]).serverRelativeURL;
      if (typeof url !== 'string') return false;
      return documentHasField(await load(path, url, signal), field);
    },
  };
}

export function documentHasField(document: Document, { group, version, kind, field }: ApiField): boolean {
  const schemas = Object.values(asDocument(asDocument(document.components).schemas)).map(asDocument);
  const schema = schemas.find((candidate) => {
    const kinds = candidate['x-kubernetes-group-version-kind'];
    return (
      Array.isArray(kinds) &&
      kinds.map(asDocument).some((gvk) => gvk.group === group && gvk.version === version && gvk.kind === kind)
    );
  });
  if (schema === undefined) return false;
  let node: unknown = schema;
  for (const step of field) {
    node = step === '[]' ? asDocument(node).items : asDocument(asDocument(node).properties)[step];
  }
  return node !== undefined;
}

function asDocument(value: unknown): Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : {};
}
