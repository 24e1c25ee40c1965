import type { Json, JsonMap } from '../expr/json.ts';
import type {
  BoolField,
  ChoiceField,
  Field,
  IntField,
  ListField,
  ObjectField,
  Properties,
  RawField,
  StringField,
  StringMapField,
} from './model.ts';

/** The builders of a values model: each takes what the field is for, and its bounds. */

export function string(description: string, bounds: Omit<StringField, 'kind' | 'description'>): StringField {
  return { kind: 'string', description, ...bounds };
}

export function choice(description: string, options: readonly string[], fallback?: string): ChoiceField {
  return { kind: 'choice', description, options, ...(fallback === undefined ? {} : { default: fallback }) };
}

export function int(description: string, bounds: Omit<IntField, 'kind' | 'description'>): IntField {
  return { kind: 'int', description, ...bounds };
}

export function bool(description: string, fallback: boolean): BoolField {
  return { kind: 'bool', description, default: fallback };
}

/** An empty list by default: spread the field and set `default` for another. */
export function list<F extends Field>(
  description: string,
  items: F,
  bounds: { readonly minItems?: number; readonly maxItems: number; readonly unique?: boolean },
): ListField<F> {
  return { kind: 'list', description, items, default: [], ...bounds };
}

export function stringMap(
  description: string,
  bounds: Omit<StringMapField, 'kind' | 'description' | 'default'> & Partial<Pick<StringMapField, 'default'>>,
): StringMapField {
  return { kind: 'stringMap', description, default: {}, ...bounds };
}

export function rawMap(description: string, schema: JsonMap, samples: RawSamples<JsonMap>): RawField {
  return { kind: 'raw', type: 'map', description, schema, ...samples };
}

export function rawList(description: string, schema: JsonMap, samples: RawSamples<readonly Json[]>): RawField {
  return { kind: 'raw', type: 'list', description, schema, ...samples };
}

export function object<P extends Properties>(description: string, properties: P): ObjectField<P> {
  return { kind: 'object', description, properties };
}

interface RawSamples<T extends Json> {
  readonly default: T;
  readonly examples: readonly T[];
}
