import type { Node } from '../../constructs/expr/ast.ts';
import { typeOf } from '../../constructs/expr/ast.ts';
import { text } from '../../constructs/expr/expr.ts';
import { isJsonList, isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';
import { splitTokens, spreadAlone, type Token, wholeToken } from '../../constructs/expr/token.ts';
import { goString, goTemplate, scalarAction, unwrapped } from './go-template.ts';

/**
 * YAML as a Helm template: block style, one document. Literal braces are escaped, expressions become actions by their type.
 * Own writer, because a YAML library would quote an action into a string, and fold it in the middle when it is long.
 */
export function helmYaml(document: JsonMap): string {
  return `${mapLines(document, 0).join('\n')}\n`;
}

type Lines = readonly string[];

function mapLines(map: JsonMap, indent: number): Lines {
  return Object.entries(map).flatMap(([key, value]) => entryLines(key, value, indent));
}

function entryLines(key: string, value: Json, indent: number): Lines {
  const keyToken = wholeToken(key);
  if (keyToken !== undefined) return spreadLines(keyToken, indent);
  const alone = spreadAlone(value);
  if (alone !== undefined) {
    const entries = `${pad(indent)}${scalar(key)}: ${yamlAction(alone, indent + 2)}`;
    return guarded(isSet(alone), [entries], indent);
  }
  const token = typeof value === 'string' ? wholeToken(value) : undefined;
  if (token?.kind === 'onlyIf') return guarded(token.condition, entryLines(key, token.body, indent), indent);
  return labelled(`${pad(indent)}${scalar(key)}:`, value, indent + 2);
}

/** A value after its key: on the same line if it is a scalar, below it otherwise. */
function labelled(label: string, value: Json, indent: number): Lines {
  if (isJsonMap(value)) return Object.keys(value).length === 0 ? [`${label} {}`] : [label, ...mapLines(value, indent)];
  if (isJsonList(value)) return value.length === 0 ? [`${label} []`] : [label, ...listLines(value, indent)];
  const token = typeof value === 'string' ? wholeToken(value) : undefined;
  if (token === undefined) return [`${label} ${scalar(value)}`];
  if (token.kind !== 'expr') throw new Error(`"${label.trim()}": a ${token.kind} cannot be the value of a key`);
  const type = typeOf(token.node);
  if (type !== 'list' && type !== 'map') return [`${label} ${scalarAction(token.node)}`];
  return [`${label} ${yamlAction(token.node, indent)}`];
}

function listLines(list: readonly Json[], indent: number): Lines {
  return list.flatMap((item) => itemLines(item, indent));
}

function itemLines(item: Json, indent: number): Lines {
  const token = typeof item === 'string' ? wholeToken(item) : undefined;
  if (token?.kind === 'each') {
    return block(`range ${token.variable} := ${unwrapped(token.list)}`, itemLines(token.body, indent), indent);
  }
  if (token?.kind === 'onlyIf') return guarded(token.condition, itemLines(token.body, indent), indent);
  if (!isJsonMap(item) || Object.keys(item).length === 0) return labelled(`${pad(indent)}-`, item, indent + 2);
  const [first = '', ...rest] = mapLines(item, indent + 2);
  // A dash cannot stand on the line of an action: the action would trim it onto the line before.
  if (first.trimStart().startsWith('{{-')) return [`${pad(indent)}-`, first, ...rest];
  return [`${pad(indent)}- ${first.trimStart()}`, ...rest];
}

function spreadLines(token: Token, indent: number): Lines {
  if (token.kind !== 'spread') throw new Error(`a ${token.kind} cannot be the key of a map`);
  return guarded(isSet(token.map), [`${pad(indent)}${yamlAction(token.map, indent)}`], indent);
}

/**
 * The action that prints a list or a map below its key. Where a string of it has a character that YAML cannot hold, toYaml gives nothing, and
 * says nothing: everything would be left out.
 */
function yamlAction(node: Node, indent: number): string {
  const value = node.op === 'ref' ? node.path.join('.') : 'a value';
  const message = goString(`${value} has a character that YAML cannot hold`);
  return `{{- required ${message} (toYaml ${goTemplate(node)}) | nindent ${indent} }}`;
}

function isSet(map: Node): Node {
  return { op: 'not', of: { op: 'empty', of: map } };
}

function guarded(condition: Node, lines: Lines, indent: number): Lines {
  return block(`if ${unwrapped(condition)}`, lines, indent);
}

/** Actions that open and close a block trim the line break before them, so that they leave no empty line behind. */
export function block(opening: string, lines: Lines, indent: number): Lines {
  return [`${pad(indent)}{{- ${opening} }}`, ...lines, `${pad(indent)}{{- end }}`];
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  if (splitTokens(value).some((part) => typeof part !== 'string')) return scalarAction(text(value).node);
  return escapeBraces(isPlain(value) ? value : doubleQuoted(value));
}

/** Literal braces would open an action. The replacement is itself the action that prints them. */
export function escapeBraces(literal: string): string {
  return literal.replace(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
}

/** Words that YAML 1.1, which Helm's parser follows in part, reads as something else than a string. */
const reservedWords = /^(true|false|yes|no|on|off|y|n|null|nan|inf)$/i;

function isPlain(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/.test(value) && !reservedWords.test(value);
}

function pad(indent: number): string {
  return ' '.repeat(indent);
}

/** JSON leaves some characters as they are that YAML allows in no document (yaml.org/spec/1.2.2, 5.1). */
function doubleQuoted(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
