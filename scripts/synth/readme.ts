import type { AnyObjectField, Field } from '../../constructs/values/model.ts';
import { markdownTable } from '../../src/text/markdown-table.ts';
import { constraintText } from './field-text.ts';
import { generatedNotice } from './generated.ts';

export interface ReadmeProps {
  readonly name: string;
  readonly description: string;
  /** Markdown between the description and the table. */
  readonly body: readonly string[];
  readonly values: AnyObjectField;
}

/** README.md of a chart: what it is, how to install it, and every value. */
export function chartReadme(props: ReadmeProps): string {
  return [
    `<!-- ${generatedNotice('constructs/values and scripts/synth')} -->`,
    '',
    `# ${props.name}`,
    '',
    props.description,
    '',
    ...props.body,
    '',
    '## Values',
    '',
    ...markdownTable(['value', 'type', 'default', 'meaning'], fieldRows(props.values, [])),
    '',
    'Values are checked against `values.schema.json`: an unknown key is refused. `global` and `enabled` are accepted, so that',
    'the chart works as a subchart.',
    '',
  ].join('\n');
}

function fieldRows(model: AnyObjectField, path: readonly string[]): string[][] {
  return Object.entries(model.properties).flatMap(([name, field]) => {
    const here = [...path, name];
    if (field.kind === 'object') return fieldRows(field, here);
    return [[`\`${here.join('.')}\``, constraintText(field), code(field), meaning(field)]];
  });
}

function code(field: Exclude<Field, AnyObjectField>): string {
  return `\`${JSON.stringify(field.default)}\``;
}

function meaning(field: Field): string {
  if (field.kind !== 'list' || field.items.kind !== 'object') return field.description;
  const keys = Object.entries(field.items.properties).map(([name, child]) => `\`${name}\`: ${child.description}`);
  return [field.description, ...keys].join(' ');
}
