import type { Field } from '../../constructs/values/model.ts';

/** What a value may be, in words: for the comments of values.yaml and the table of the README. */
export function constraintText(field: Field): string {
  switch (field.kind) {
    case 'string':
      return 'string';
    case 'choice':
      return field.options.join(' | ');
    case 'int':
      return `integer, ${field.minimum} to ${field.maximum}`;
    case 'bool':
      return 'true | false';
    case 'list':
      return `list of ${itemText(field.items)}, ${listBounds(field.minItems, field.maxItems)}`;
    case 'stringMap':
      return 'map of strings';
    case 'raw':
      return field.type;
    case 'object':
      return 'object';
  }
}

function itemText(field: Field): string {
  if (field.kind !== 'object') return constraintText(field);
  const keys = Object.entries(field.properties).map(([name, child]) => {
    const fallback =
      'default' in child && child.default !== undefined ? `, ${defaultText(child.default)} if absent` : '';
    return `${name}: ${constraintText(child)}${fallback}`;
  });
  return `{${keys.join('; ')}}`;
}

/** Words as they are; what would be empty or no word, as JSON. */
function defaultText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function listBounds(minItems: number | undefined, maxItems: number): string {
  return minItems === undefined ? `at most ${maxItems}` : `${minItems} to ${maxItems}`;
}
