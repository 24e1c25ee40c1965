import fc from 'fast-check';
import type { Json, JsonMap } from '../../../constructs/expr/json.ts';
import { labelKey, labelValue, yamlText } from '../../../constructs/values/formats.ts';
import type { AnyListField, AnyObjectField, Field, StringMapField } from '../../../constructs/values/model.ts';

const writable = new RegExp(yamlText);

/** Values that satisfy the schema of a model: any subset of its keys, as a user's file would hold them. */
export function valuesOf(model: AnyObjectField): fc.Arbitrary<JsonMap> {
  return objectOf(model, []);
}

function objectOf(model: AnyObjectField, requiredKeys: readonly string[]): fc.Arbitrary<JsonMap> {
  const entries = Object.entries(model.properties).map(([name, field]) => [name, anyOf(field)] as const);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [...requiredKeys], noNullPrototype: true });
}

function anyOf(field: Field): fc.Arbitrary<Json> {
  switch (field.kind) {
    case 'string':
      return matching(field.pattern ?? '', field.maxLength ?? 64);
    case 'choice':
      return fc.constantFrom(...field.options);
    case 'int':
      // Where two numbers have to fit, the defaults do.
      return fc.oneof(fc.integer({ min: field.minimum, max: field.maximum }), {
        weight: 3,
        arbitrary: fc.constant(field.default),
      });
    case 'bool':
      return fc.boolean();
    case 'list':
      return listOf(field);
    case 'stringMap':
      return stringMapOf(field);
    case 'raw':
      return fc.constantFrom(field.default, ...field.examples);
    case 'object':
      return objectOf(field, []);
  }
}

function listOf(field: AnyListField): fc.Arbitrary<Json> {
  const bounds = { minLength: field.minItems ?? 0, maxLength: Math.min(4, field.maxItems) };
  if (field.unique !== true) return fc.array(itemOf(field.items), bounds);
  return fc.uniqueArray(itemOf(field.items), { ...bounds, selector: (item) => JSON.stringify(item) });
}

/** In the items of a list, a key without a default has to be there. */
function itemOf(field: Field): fc.Arbitrary<Json> {
  if (field.kind !== 'object') return anyOf(field);
  const required = Object.entries(field.properties).filter(([, child]) => !('default' in child));
  return objectOf(
    field,
    required.map(([name]) => name),
  );
}

function stringMapOf(field: StringMapField): fc.Arbitrary<JsonMap> {
  const reserved = field.reserved === undefined ? undefined : new RegExp(field.reserved);
  const any = matching(labelKey, 128).filter((text) => reserved?.test(text) !== true);
  // Maps that are merged have to meet now and then.
  const key = fc.oneof(any, fc.constantFrom('team', 'example.com/owner'));
  const value = field.values === 'label' ? matching(labelValue, 63) : hostileText.filter((text) => writable.test(text));
  return fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });
}

/** What breaks templates and YAML: braces, quotes, line breaks, words that are no strings, numbers, any character at all. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{{ fail "x" }}',
    '}}',
    '{{',
    "it's",
    '"',
    'a\nb\n',
    ' \t',
    'true',
    'null',
    'y',
    '1e3',
    '0x1f',
    '- a',
    'a: b #c',
    '%s',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

function matching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
}
