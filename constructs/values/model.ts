import type { Json, JsonMap } from '../expr/json.ts';

/**
 * The model of a chart's values. One description gives values.yaml with its comments, values.schema.json, the table in the
 * README, the static type, and the typed references that constructs use.
 *
 * `description` is one or more sentences; `examples` are valid values that tests draw from.
 */
interface Described {
  readonly description: string;
}

export interface StringField extends Described {
  readonly kind: 'string';
  /** Absent: the key is required (only inside the items of a list, where values.yaml cannot supply it). */
  readonly default?: string;
  /** RE2, anchored. Helm compiles it with Go's regexp. */
  readonly pattern?: string;
  readonly maxLength?: number;
}

export interface ChoiceField extends Described {
  readonly kind: 'choice';
  readonly options: readonly string[];
  readonly default?: string;
}

export interface IntField extends Described {
  readonly kind: 'int';
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

export interface BoolField extends Described {
  readonly kind: 'bool';
  readonly default: boolean;
}

/** A list of any items: what code that walks a model sees. */
export interface AnyListField extends Described {
  readonly kind: 'list';
  readonly items: Field;
  readonly minItems?: number;
  readonly maxItems: number;
  /** No item twice: for a list that the API server merges by a key. */
  readonly unique?: boolean;
  readonly default: readonly unknown[];
}

export interface ListField<F extends Field> extends AnyListField {
  readonly items: F;
  readonly default: readonly ValueOf<F>[];
}

/** A map of strings to strings: labels, annotations. */
export interface StringMapField extends Described {
  readonly kind: 'stringMap';
  readonly default: Readonly<Record<string, string>>;
  /** RE2 that no key may match: keys that the chart sets itself. */
  readonly reserved?: string;
  readonly values: 'label' | 'any';
  readonly minProperties?: number;
}

/** A part of the Kubernetes API that the chart passes on as it stands. `schema` is its JSON schema (draft-07). */
export interface RawField extends Described {
  readonly kind: 'raw';
  readonly type: 'list' | 'map';
  readonly schema: JsonMap;
  readonly default: Json;
  readonly examples: readonly Json[];
}

/** An object of any properties: what code that walks a model sees. */
export interface AnyObjectField extends Described {
  readonly kind: 'object';
  readonly properties: Properties;
}

export interface ObjectField<P extends Properties> extends AnyObjectField {
  readonly properties: P;
}

export type Properties = { readonly [name: string]: Field };

export type Field =
  | StringField
  | ChoiceField
  | IntField
  | BoolField
  | AnyListField
  | StringMapField
  | RawField
  | AnyObjectField;

/** The static type of a field's value, defaults applied. */
export type ValueOf<F> = F extends StringField | ChoiceField
  ? string
  : F extends IntField
    ? number
    : F extends BoolField
      ? boolean
      : F extends StringMapField
        ? Readonly<Record<string, string>>
        : F extends RawField
          ? Json
          : F extends ListField<infer I>
            ? readonly ValueOf<I>[]
            : F extends ObjectField<infer P>
              ? { readonly [K in keyof P]: ValueOf<P[K]> }
              : never;
