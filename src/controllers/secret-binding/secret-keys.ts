/** The names of a Secret's keys, as the API server books them beside who set them. Pure; no value is anywhere near. */
import type { SecretObservation } from '../../api/secret-binding.ts';
import { isRecord, type ObjectMeta } from '../../kube/types.ts';

/** What a look at a Secret has found. */
export type Look =
  | { readonly kind: 'Found'; readonly keys: ReadonlySet<string> }
  | { readonly kind: 'Missing' }
  | { readonly kind: 'NotReadable'; readonly message: string };

const KEY_FIELDS = ['f:data', 'f:stringData'] as const;
const FIELD = 'f:';

/** Undefined when the server has booked nobody: then nothing can be said of the keys. */
export function secretKeys({ managedFields = [] }: Pick<ObjectMeta, 'managedFields'>): ReadonlySet<string> | undefined {
  if (managedFields.length === 0) return undefined;
  const fields = managedFields.flatMap(({ fieldsV1 = {} }) => KEY_FIELDS.map((field) => fieldsV1[field]));
  const names = fields.filter(isRecord).flatMap((node) => Object.keys(node));
  return new Set(names.filter((name) => name.startsWith(FIELD)).map((name) => name.slice(FIELD.length)));
}

export interface Observed {
  readonly observed: SecretObservation;
  /** Of the keys that are asked for. */
  readonly missingKeys: readonly string[];
}

export function observedOf(look: Look, keys: readonly string[]): Observed {
  if (look.kind !== 'Found') return { observed: look.kind, missingKeys: [] };
  const missingKeys = keys.filter((key) => !look.keys.has(key));
  return { observed: missingKeys.length === 0 ? 'Present' : 'KeyMissing', missingKeys };
}
