import type { Json, JsonMap } from '../../constructs/expr/json.ts';
import { labelKey, labelValue, overlongKey, yamlText } from '../../constructs/values/formats.ts';
import type { AnyObjectField, Field, StringMapField } from '../../constructs/values/model.ts';

/**
 * The JSON schema (draft-07, which Helm 3 and 4 both check) of a chart's values. Closed, so that a misspelt key is refused;
 * but `global` and `enabled` are allowed, because Helm passes the one to every subchart and a parent sets the other.
 */
export function valuesSchema(title: string, model: AnyObjectField): JsonMap {
  const root = schemaOf(model, false);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    // JSON has no comments; this keyword is the one that validators ignore.
    $comment: 'GENERATED from constructs/values by scripts/synth. Do not edit: run `npm run generate`.',
    title,
    ...root,
    properties: {
      ...(root.properties as JsonMap),
      global: { type: 'object', description: 'Values that Helm shares with every subchart. Not read.' },
      enabled: { type: 'boolean', description: 'For the condition of a parent chart. Not read.' },
    },
  };
}

function schemaOf(field: Field, inList: boolean): JsonMap {
  return { description: field.description, ...constraints(field, inList), ...defaultOf(field) };
}

function constraints(field: Field, inList: boolean): JsonMap {
  switch (field.kind) {
    case 'string':
      return { type: 'string', ...defined({ pattern: field.pattern, maxLength: field.maxLength }) };
    case 'choice':
      return { type: 'string', enum: field.options };
    case 'int':
      return { type: 'integer', minimum: field.minimum, maximum: field.maximum };
    case 'bool':
      return { type: 'boolean' };
    case 'list':
      return {
        type: 'array',
        items: schemaOf(field.items, true),
        maxItems: field.maxItems,
        ...defined({ minItems: field.minItems, uniqueItems: field.unique }),
      };
    case 'stringMap':
      return { type: 'object', ...stringMapConstraints(field) };
    case 'raw':
      return { type: field.type === 'list' ? 'array' : 'object', ...field.schema };
    case 'object':
      return objectConstraints(field, inList);
  }
}

/**
 * Required is what values.yaml supplies (a key set to null would lose its default and is refused), and, in the items of a
 * list, what has no default.
 */
function objectConstraints(field: AnyObjectField, inList: boolean): JsonMap {
  const entries = Object.entries(field.properties);
  const required = entries.filter(([, child]) => !inList || !('default' in child)).map(([name]) => name);
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties: Object.fromEntries(entries.map(([name, child]) => [name, schemaOf(child, inList)])),
  };
}

/**
 * Keys are judged by patternProperties. With propertyNames, Helm's validator would name the wrong place: it reports a key
 * under whichever property it looked at last.
 */
function stringMapConstraints(field: StringMapField): JsonMap {
  const value: JsonMap = { type: 'string', pattern: field.values === 'label' ? labelValue : yamlText };
  return {
    patternProperties: {
      ...(field.reserved === undefined ? {} : { [field.reserved]: false }),
      [overlongKey]: false,
      [labelKey]: value,
    },
    additionalProperties: false,
    ...defined({ minProperties: field.minProperties }),
  };
}

function defaultOf(field: Field): JsonMap {
  return 'default' in field && field.default !== undefined ? { default: field.default as Json } : {};
}

function defined(keywords: Readonly<Record<string, Json | undefined>>): JsonMap {
  return Object.fromEntries(
    Object.entries(keywords).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
