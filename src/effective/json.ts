/** Reading API objects whose shape is not trusted. A reader returns undefined for what has another shape; absent and null are empty. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Json | undefined {
  if (isAbsent(value)) return {};
  return isObject(value) ? value : undefined;
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function objectsOf(value: unknown): readonly Json[] | undefined {
  return listOf(value, isObject);
}

export function stringsOf(value: unknown): readonly string[] | undefined {
  return listOf(value, isString);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** What was read of every item of a list, or undefined when one of them, or the list itself, could not be read. */
export function allRead<In, Out>(
  list: readonly In[] | undefined,
  read: (item: In) => Out | undefined,
): readonly Out[] | undefined {
  if (list === undefined) return undefined;
  const results = list.map(read).filter((result) => result !== undefined);
  return results.length === list.length ? results : undefined;
}

/** JSON with sorted keys: equal text for equal content. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function listOf<T>(value: unknown, is: (item: unknown) => item is T): readonly T[] | undefined {
  if (isAbsent(value)) return [];
  return Array.isArray(value) && value.every(is) ? value : undefined;
}
