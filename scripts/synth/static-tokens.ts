import { evaluate, type Scope, truth } from '../../constructs/expr/evaluate.ts';
import { text } from '../../constructs/expr/expr.ts';
import { isJsonList, isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';
import { spreadAlone, wholeToken } from '../../constructs/expr/token.ts';

/**
 * A manifest with every token replaced by what it yields.
 *
 * @throws Error where a map or a list that consists of tokens comes out empty: in Helm it would be null.
 */
export function resolveTokens(value: Json, scope: Scope): Json {
  if (isJsonList(value)) return resolveList(value, scope);
  if (isJsonMap(value)) return resolveMap(value, scope);
  return typeof value === 'string' ? evaluate(text(value).node, scope) : value;
}

function resolveList(list: readonly Json[], scope: Scope): Json {
  const resolved = list.flatMap((item) => resolveItem(item, scope));
  if (resolved.length === 0 && list.length > 0) throw new Error('a list lost all its elements: put it under onlyIf');
  return resolved;
}

function resolveItem(item: Json, scope: Scope): readonly Json[] {
  const token = typeof item === 'string' ? wholeToken(item) : undefined;
  if (token?.kind === 'onlyIf') return truth(token.condition, scope) ? resolveItem(token.body, scope) : [];
  if (token?.kind !== 'each') return [resolveTokens(item, scope)];
  const items = evaluate(token.list, scope) as readonly Json[];
  return items.flatMap((each) =>
    resolveItem(token.body, { ...scope, variables: { ...scope.variables, [token.variable]: each } }),
  );
}

function resolveMap(map: JsonMap, scope: Scope): Json {
  const entries = Object.entries(map).flatMap(([key, value]) => resolveEntry(key, value, scope));
  if (entries.length === 0 && Object.keys(map).length > 0)
    throw new Error('a map lost all its keys: put it under onlyIf');
  const seen = new Set(entries.map(([key]) => key));
  if (seen.size < entries.length)
    throw new Error(`a key stands twice among: ${entries.map(([key]) => key).join(', ')}`);
  return Object.fromEntries(entries);
}

function resolveEntry(key: string, value: Json, scope: Scope): readonly (readonly [string, Json])[] {
  const keyToken = wholeToken(key);
  if (keyToken?.kind === 'spread') return Object.entries(evaluate(keyToken.map, scope) as JsonMap);
  const alone = spreadAlone(value);
  if (alone !== undefined && truth({ op: 'empty', of: alone }, scope)) return [];
  const token = typeof value === 'string' ? wholeToken(value) : undefined;
  if (token?.kind !== 'onlyIf') return [[key, resolveTokens(value, scope)]];
  return truth(token.condition, scope) ? resolveEntry(key, token.body, scope) : [];
}
