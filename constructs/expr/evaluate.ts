import type { Node, Root } from './ast.ts';
import { isJsonMap, type Json, type JsonMap } from './json.ts';

/** What an expression can see. Loop variables are added as loops are entered. */
export interface Scope {
  readonly Values: JsonMap;
  readonly Release: { readonly Name: string; readonly Namespace: string; readonly Service: string };
  readonly variables: Readonly<Record<`$${string}`, Json>>;
}

/**
 * The value of an expression, exactly as Helm's template functions give it. A key that is absent yields null.
 *
 * @throws Error if an operand has the wrong type, which the values schema makes impossible.
 */
export function evaluate(node: Node, scope: Scope): Json {
  switch (node.op) {
    case 'literal':
      return node.value;
    case 'ref':
      return lookUp(rootOf(node.root, scope), node.path);
    case 'orElse':
      return isEmptyValue(evaluate(node.of, scope)) ? node.fallback : evaluate(node.of, scope);
    case 'concat':
      return node.parts.map((part) => String(evaluate(part, scope))).join('');
    case 'choose':
      return evaluate(truth(node.when, scope) ? node.yes : node.no, scope);
    case 'sum':
      return node.of.reduce((total, each) => total + Number(evaluate(each, scope)), 0);
    case 'size':
      return listOf(node.list, scope).length;
    case 'pluck':
      return listOf(node.list, scope).map((item) => lookUp(item, [node.field]) ?? '');
    case 'sortedUnique':
      return [...new Set(stringsOf(node.list, scope))].sort();
    case 'join':
      return stringsOf(node.list, scope).join(node.separator);
    case 'pairs':
      return Object.entries(mapOf(node.map, scope))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, value]) => `${key}=${String(value)}`);
    case 'merged':
      return Object.assign({}, ...node.maps.map((map) => mapOf(map, scope)).reverse()) as JsonMap;
    default:
      return truth(node, scope);
  }
}

/** The value of a condition. */
export function truth(node: Node, scope: Scope): boolean {
  switch (node.op) {
    case 'equals':
      return evaluate(node.left, scope) === evaluate(node.right, scope);
    case 'greater':
      return Number(evaluate(node.left, scope)) > Number(evaluate(node.right, scope));
    case 'contains':
      return String(evaluate(node.text, scope)).includes(String(evaluate(node.part, scope)));
    case 'not':
      return !truth(node.of, scope);
    case 'all':
      return node.of.every((each) => truth(each, scope));
    case 'any':
      return node.of.some((each) => truth(each, scope));
    case 'empty':
      return isEmptyValue(evaluate(node.of, scope));
    case 'literal':
    case 'ref':
    case 'choose':
      return evaluate(node, scope) === true;
    default:
      throw new Error(`"${node.op}" is no condition`);
  }
}

/** Emptiness as Go templates define it. */
function isEmptyValue(value: Json): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function rootOf(root: Root, scope: Scope): Json {
  if (root === 'Values') return scope.Values;
  if (root === 'Release') return scope.Release;
  const value = scope.variables[root];
  if (value === undefined) throw new Error(`${root} is used outside its loop`);
  return value;
}

function lookUp(from: Json, path: readonly string[]): Json {
  let at = from;
  for (const key of path) {
    if (!isJsonMap(at)) return null;
    at = at[key] ?? null;
  }
  return at;
}

function listOf(node: Node, scope: Scope): readonly Json[] {
  const value = evaluate(node, scope);
  if (!Array.isArray(value)) throw new Error(`expected a list, got ${JSON.stringify(value)}`);
  return value;
}

function stringsOf(node: Node, scope: Scope): readonly string[] {
  return listOf(node, scope).map(String);
}

function mapOf(node: Node, scope: Scope): JsonMap {
  const value = evaluate(node, scope);
  if (!isJsonMap(value)) throw new Error(`expected a map, got ${JSON.stringify(value)}`);
  return value;
}
