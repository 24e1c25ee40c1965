import { type Node, type Root, typeOf } from '../../constructs/expr/ast.ts';

/** Named templates that expressions call; written to _helpers.tpl. `include` always yields a string, hence the JSON. */
export const helpers = `{{- define "agentplane.pluck" -}}
{{- $out := list -}}
{{- range .list -}}{{- $out = append $out (get . $.field) -}}{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{- define "agentplane.pairs" -}}
{{- $out := list -}}
{{- range $key, $value := . -}}{{- $out = append $out (printf "%s=%s" $key $value) -}}{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{- define "agentplane.merged" -}}
{{- $out := dict -}}
{{- range . -}}
{{- range $key, $value := . -}}{{- if not (hasKey $out $key) -}}{{- $_ := set $out $key $value -}}{{- end -}}{{- end -}}
{{- end -}}
{{- toJson $out -}}
{{- end -}}
`;

/** An expression as an argument of a Go template function: parenthesised where it has to be. */
export function goTemplate(node: Node): string {
  switch (node.op) {
    case 'literal':
      return typeof node.value === 'string' ? goString(node.value) : String(node.value);
    case 'ref':
      return reference(node.root, node.path);
    default:
      return `(${call(node)})`;
  }
}

function call(node: Exclude<Node, { op: 'literal' | 'ref' }>): string {
  switch (node.op) {
    case 'orElse':
      return `default ${goString(node.fallback)} ${goTemplate(node.of)}`;
    case 'concat':
      return `printf ${goString(node.parts.map(verb).join(''))}${printfArguments(node.parts)}`;
    case 'choose':
      return `ternary ${goTemplate(node.yes)} ${goTemplate(node.no)} ${goTemplate(node.when)}`;
    case 'equals':
      return `eq ${comparable(node.left)} ${comparable(node.right)}`;
    case 'greater':
      return `gt ${comparable(node.left)} ${comparable(node.right)}`;
    case 'sum':
      return ['add', ...node.of.map(goTemplate)].join(' ');
    case 'contains':
      return `contains ${goTemplate(node.part)} ${goTemplate(node.text)}`;
    case 'all':
      return ['and', ...node.of.map(goTemplate)].join(' ');
    case 'any':
      return ['or', ...node.of.map(goTemplate)].join(' ');
    case 'not':
      return `not ${goTemplate(node.of)}`;
    case 'empty':
      // What is merged is empty where every part is, and a template that says so can be read.
      return node.of.op === 'merged' ? call(allEmpty(node.of.maps)) : `empty ${goTemplate(node.of)}`;
    default:
      return collectionCall(node);
  }
}

function allEmpty(maps: readonly Node[]): Extract<Node, { op: 'all' }> {
  return { op: 'all', of: maps.map((of) => ({ op: 'empty', of })) };
}

type CollectionNode = Extract<Node, { op: 'size' | 'pluck' | 'sortedUnique' | 'join' | 'pairs' | 'merged' }>;

function collectionCall(node: CollectionNode): string {
  switch (node.op) {
    case 'size':
      return `len ${goTemplate(node.list)}`;
    case 'pluck':
      return `fromJsonArray (include "agentplane.pluck" (dict "list" ${goTemplate(node.list)} "field" ${goString(node.field)}))`;
    case 'sortedUnique':
      return `sortAlpha (uniq ${goTemplate(node.list)})`;
    case 'join':
      return `join ${goString(node.separator)} ${goTemplate(node.list)}`;
    case 'pairs':
      return `fromJsonArray (include "agentplane.pairs" ${goTemplate(node.map)})`;
    case 'merged':
      return `fromJson (include "agentplane.merged" (list ${node.maps.map(goTemplate).join(' ')}))`;
  }
}

/**
 * The action that prints an expression as a scalar of YAML. Integers go through int64, because those of a values file arrive
 * as float64, which prints 1000000 as 1e+06.
 */
export function scalarAction(node: Node): string {
  switch (typeOf(node)) {
    case 'string':
      return `{{ ${unwrapped(node)} | quote }}`;
    case 'int':
      return `{{ int64 ${goTemplate(node)} }}`;
    case 'bool':
      return `{{ ${unwrapped(node)} }}`;
    case 'list':
    case 'map':
      throw new Error('a list or a map is no scalar');
  }
}

/** An expression where parentheses around the whole of it would only be noise. */
export function unwrapped(node: Node): string {
  return node.op === 'literal' || node.op === 'ref' ? goTemplate(node) : call(node);
}

function comparable(node: Node): string {
  return typeOf(node) === 'int' ? `(int64 ${goTemplate(node)})` : goTemplate(node);
}

const verbs = { string: '%s', int: '%d', bool: '%t' } as const;

function verb(part: Node): string {
  if (part.op === 'literal') return String(part.value).replaceAll('%', '%%');
  const type = typeOf(part);
  if (type === 'list' || type === 'map') throw new Error(`a ${type} cannot stand inside a string: join it first`);
  return verbs[type];
}

function printfArguments(parts: readonly Node[]): string {
  return parts
    .filter((part) => part.op !== 'literal')
    .map((part) => ` ${comparable(part)}`)
    .join('');
}

/** `$` is the root everywhere: `.` changes its meaning inside range and with. */
function reference(root: Root, path: readonly string[]): string {
  const start = root.startsWith('$') ? root : `$.${root}`;
  for (const key of [...path, start.slice(root.startsWith('$') ? 1 : 2)]) {
    if (!/^[A-Za-z][A-Za-z0-9]*$/.test(key))
      throw new Error(`"${key}" of ${start} cannot be written as a field of a Go template`);
  }
  return [start, ...path].join('.');
}

/** JSON's escapes are a subset of those of a Go string. */
export function goString(text: string): string {
  return JSON.stringify(text);
}
