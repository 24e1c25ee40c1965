/** JSON as a manifest holds it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonMap;

export interface JsonMap {
  readonly [key: string]: Json;
}

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Array.isArray` narrows a readonly array to `any[]`; this keeps the element type. */
export function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
