/** Every place of a schema where somebody else's text can stand, found by walking it: what is added to a kind is covered from then on. */
import { FREE_TEXT } from '../../src/api/dialect.ts';
import type { StructuralSchema } from '../../src/api/structural.ts';

export type Path = readonly (string | number)[];

export interface Places {
  /** Fields and items that are strings, enumerations among them, but for free text. */
  readonly strings: readonly Path[];
  readonly texts: readonly Path[];
  /** Maps, whose keys are free. */
  readonly maps: readonly Path[];
  /** Objects, which know their keys. */
  readonly objects: readonly Path[];
}

export function placesOf(schema: StructuralSchema, path: Path = []): Places {
  const at = (kind: keyof Places): Places => ({ ...joined([]), [kind]: [path] });
  const { items, additionalProperties, properties = {} } = schema;
  if (schema.type === 'string') return at(schema.pattern === FREE_TEXT.source ? 'texts' : 'strings');
  if (isSchema(items)) return placesOf(items, [...path, 0]);
  if (isSchema(additionalProperties)) return joined([at('maps'), placesOf(additionalProperties, [...path, 'key'])]);
  if (schema.type !== 'object' || !isSchema(properties)) return joined([]);
  const below = Object.entries(properties).map(([key, child]) => placesOf(asSchema(child), [...path, key]));
  return joined([at('objects'), ...below]);
}

/** Something of the right shape at every place. Rules that span fields may not hold for it. */
export function sampleOf(schema: StructuralSchema): unknown {
  const { type, items, additionalProperties, properties = {} } = schema;
  if (type === 'string') return sampleText(schema);
  if (type === 'integer') return schema.minimum;
  if (type === 'boolean') return false;
  if (isSchema(items)) return [sampleOf(items)];
  if (isSchema(additionalProperties)) return { key: sampleOf(additionalProperties) };
  if (type !== 'object' || !isSchema(properties)) throw new Error(`no sample for a ${String(type)}`);
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, sampleOf(asSchema(child))]));
}

const TEXTS = ['a', 'a.example.com', '10.0.0.0/8', '2026-01-01T00:00:00Z', 'a.example.com/', '1', '0'.repeat(64)];

function sampleText({ enum: values, pattern = '' }: StructuralSchema): unknown {
  if (Array.isArray(values)) return values[0];
  const found = TEXTS.find((text) => new RegExp(String(pattern), 'u').test(text));
  if (found === undefined) throw new Error(`no sample text for ${String(pattern)}: add one to TEXTS`);
  return found;
}

/** The value with another one at the path. A key of the path may be any text, `__proto__` too. */
export function withAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withAt(item, rest, replacement) : item));
  const record = typeof value === 'object' && value !== null ? value : {};
  const member = Object.entries(record).find(([key]) => key === step)?.[1];
  return { ...record, [step]: withAt(member, rest, replacement) };
}

function joined(all: readonly Places[]): Places {
  return {
    strings: all.flatMap(({ strings }) => strings),
    texts: all.flatMap(({ texts }) => texts),
    maps: all.flatMap(({ maps }) => maps),
    objects: all.flatMap(({ objects }) => objects),
  };
}

function isSchema(value: unknown): value is StructuralSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): StructuralSchema {
  if (!isSchema(value)) throw new Error('not a schema');
  return value;
}
