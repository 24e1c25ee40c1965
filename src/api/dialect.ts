/**
 * The schema dialect: the only builders that src/api uses.
 *
 * A kind is written once, over zod, and gives the static types, the in-process validation and the CRD's structural
 * schema. The dialect is smaller than zod on purpose: what it can express is always structural, always bounded and cheap
 * enough for CEL cost estimation. `structural.ts` asserts that. ADR 0002.
 */
import * as z from 'zod';

/** A validation rule that is stated twice, once for the API server and once for this process; one table tests both. */
export interface Rule<T> {
  /** CEL over `self`, and over `oldSelf` where `transition` is set. */
  readonly rule: string;
  readonly message: string;
  /** The same rule in this process. Must be total: it sees any value the schema accepts. */
  readonly check: (self: T) => boolean;
}

/** A rule about a change. The API server runs it on updates only. */
export interface TransitionRule<T> {
  readonly rule: string;
  readonly message: string;
  readonly check: (self: T, oldSelf: T) => boolean;
}

export interface StringOptions {
  readonly max: number;
  readonly min?: number;
  /** A pattern that is valid in both RE2 (the API server) and JavaScript: no look-around, no back-references. */
  readonly pattern?: RegExp;
}

export function str(description: string, options: StringOptions): z.ZodString {
  let schema = z.string().max(options.max);
  if (options.min !== undefined) schema = schema.min(options.min);
  if (options.pattern !== undefined) schema = schema.regex(options.pattern);
  return schema.meta({ description });
}

/** What stands in no free text: control, format and separator characters, which steer the terminal of whoever reads it. */
export const FREE_TEXT = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** One line that a person writes for others to read. */
export function freeText(description: string, bounds: { readonly min: number; readonly max: number }): z.ZodString {
  return str(description, { ...bounds, pattern: FREE_TEXT });
}

export function int32(description: string, bounds: { readonly min: number; readonly max: number }): z.ZodNumber {
  return z.number().int().min(bounds.min).max(bounds.max).meta({ description, format: 'int32' });
}

/** A counter that only the status carries, such as an observed generation. */
export function int64(description: string): z.ZodNumber {
  return z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description, format: 'int64' });
}

/** An RFC 3339 instant with whole seconds, as `metav1.Time` is serialized. */
export function time(description: string): z.ZodString {
  return z
    .string()
    .max(40)
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$/)
    .meta({ description });
}

/** Only for what a status says: a spec has words, which can be added to. */
export function bool(description: string): z.ZodBoolean {
  return z.boolean().meta({ description });
}

export function oneOf<const T extends readonly [string, ...string[]]>(
  description: string,
  values: T,
): z.ZodEnum<{ [K in T[number]]: K }> {
  return z.enum(values).meta({ description });
}

export function list<T extends z.ZodType>(
  description: string,
  item: T,
  bounds: { readonly min?: number; readonly max: number },
): z.ZodArray<T> {
  const schema = z.array(item).max(bounds.max);
  return (bounds.min === undefined ? schema : schema.min(bounds.min)).meta({
    description,
    'x-kubernetes-list-type': 'atomic',
  });
}

/** A list of scalars without duplicates. */
export function setOf<T extends z.ZodType<string>>(
  description: string,
  item: T,
  bounds: { readonly min?: number; readonly max: number },
): z.ZodArray<T> {
  const schema = z.array(item).max(bounds.max);
  return (bounds.min === undefined ? schema : schema.min(bounds.min))
    .refine((items) => new Set(items).size === items.length, { error: 'items must be unique' })
    .meta({ description, 'x-kubernetes-list-type': 'set' });
}

/** A list of objects whose `key` is unique: the API server enforces that, and merges by it. */
export function mapList<T extends z.ZodObject>(
  description: string,
  item: T,
  bounds: { readonly key: string; readonly min?: number; readonly max: number },
): z.ZodArray<T> {
  const schema = z.array(item).max(bounds.max);
  const keyOf = (entry: unknown): unknown => (entry as Readonly<Record<string, unknown>>)[bounds.key];
  return (bounds.min === undefined ? schema : schema.min(bounds.min))
    .refine((items) => new Set(items.map(keyOf)).size === items.length, {
      error: `items must have unique "${bounds.key}"`,
    })
    .meta({ description, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [bounds.key] });
}

export function stringMap(
  description: string,
  bounds: { readonly min?: number; readonly maxEntries: number; readonly value: StringOptions },
): z.ZodRecord<z.ZodString, z.ZodString> {
  const size = (value: object): number => Object.keys(value).length;
  return z
    .record(z.string(), str('', bounds.value))
    .refine((value) => size(value) <= bounds.maxEntries, { error: `at most ${bounds.maxEntries} entries` })
    .refine((value) => size(value) >= (bounds.min ?? 0), { error: `at least ${bounds.min ?? 0} entries` })
    .meta({
      description,
      maxProperties: bounds.maxEntries,
      ...(bounds.min === undefined ? {} : { minProperties: bounds.min }),
    });
}

/** An object without unknown fields: in this process as with `fieldValidation=Strict` at the API server. */
export function obj<S extends z.ZodRawShape>(description: string, shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape).meta({ description }) as z.ZodObject<S, z.core.$strict>;
}

/** Attaches rules to a schema. Keeps the description, which zod stores beside them. */
export function withRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  const checked = schema.superRefine((value, context) => {
    for (const { check, message } of rules) {
      if (!check(value)) context.addIssue({ code: 'custom', message });
    }
  });
  return checked.meta({
    ...schema.meta(),
    'x-kubernetes-validations': rules.map(({ rule, message }) => ({ rule, message })),
  }) as T;
}

/** Exactly one of `keys` is set: the dialect's union. zod's own unions are not structural (their branches carry types). */
export function exactlyOneOf<T extends object>(...keys: readonly (keyof T & string)[]): Rule<T> {
  const present = keys.map((key) => `has(self.${key})`).join(', ');
  return {
    rule: `[${present}].exists_one(x, x)`,
    message: `exactly one of ${keys.join(', ')} must be set`,
    check: (self) => keys.filter((key) => self[key] !== undefined).length === 1,
  };
}

/** A DNS label (RFC 1123), as used for ids, rule names and namespaces. */
export function dnsLabel(description: string): z.ZodString {
  return str(description, { min: 1, max: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/ });
}

/** A DNS subdomain (RFC 1123), as used for most object names. */
export function objectName(description: string, max = 253): z.ZodString {
  return str(description, {
    min: 1,
    max,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  });
}
