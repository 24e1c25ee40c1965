import { stringify } from 'yaml';
import type { Json } from '../../constructs/expr/json.ts';
import type { AnyObjectField, Field } from '../../constructs/values/model.ts';
import { constraintText } from './field-text.ts';
import { generatedHeader } from './generated.ts';
import { wrap } from './wrap.ts';

/** values.yaml: every key with its default, and above it what it is for and what it may be. */
export function valuesYaml(model: AnyObjectField): string {
  return `${generatedHeader('constructs/values')}\n${properties(model, 0).join('\n')}\n`;
}

/** The defaults as data. */
export function defaultValues(model: AnyObjectField): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(model.properties).map(([name, field]) => [name, defaultOf(field)]));
}

function defaultOf(field: Field): Json {
  if (field.kind === 'object') return defaultValues(field);
  if (field.default === undefined)
    throw new Error(`"${field.description}": only the items of a list may lack a default`);
  return field.default as Json;
}

function properties(model: AnyObjectField, indent: number): string[] {
  return Object.entries(model.properties).flatMap(([name, field]) => {
    const lines = [...comment(field, indent), ...entry(name, field, indent)];
    return indent === 0 ? ['', ...lines] : lines;
  });
}

function comment(field: Field, indent: number): string[] {
  const constraint = field.kind === 'object' ? '' : ` (${constraintText(field)})`;
  return wrap(`${field.description}${constraint}`, 110 - indent).map((line) => `${' '.repeat(indent)}# ${line}`);
}

function entry(name: string, field: Field, indent: number): string[] {
  const pad = ' '.repeat(indent);
  if (field.kind === 'object') return [`${pad}${name}:`, ...properties(field, indent + 2)];
  const yaml = stringify(
    { [name]: defaultOf(field) },
    { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  );
  return yaml
    .trimEnd()
    .split('\n')
    .map((line) => `${pad}${line}`);
}
