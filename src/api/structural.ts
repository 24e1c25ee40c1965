/**
 * From a dialect schema to the structural OpenAPI v3 schema of a CRD, with proof that it is one.
 *
 * The API server's rules: kubernetes/website custom-resource-definitions.md ("Specifying a structural schema") and
 * kubernetes/kubernetes staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/validation.go. Breaking one here
 * is a mistake of this repository, so it throws while the CRDs are generated, never in the operator.
 */
import * as z from 'zod';

/** A node of a structural schema. Only keys of `ALLOWED_KEYS` occur. */
export type StructuralSchema = { [key: string]: unknown };

const ALLOWED_KEYS = new Set([
  'type',
  'format',
  'description',
  'default',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
]);

/** What RE2 refuses or reads differently: look-around, back-references, atomic groups. */
const NOT_RE2 = /\(\?[=!<>]|\\[1-9]|\\k</;

export function toStructural(schema: z.ZodType): StructuralSchema {
  const raw = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    unrepresentable: 'throw',
  });
  return convert(raw as StructuralSchema, '$');
}

function convert(node: StructuralSchema, path: string): StructuralSchema {
  const out: StructuralSchema = {};
  for (const key of Object.keys(node).sort()) {
    const value = node[key];
    // Strictness is the writer's `fieldValidation=Strict`; a CRD may not say additionalProperties: false.
    if (key === 'additionalProperties' && value === false) continue;
    // The API server drops these empty values; what is rendered must equal what is live.
    if ((key === 'description' && value === '') || (key === 'properties' && isNode(value) && isEmpty(value))) continue;
    if (!ALLOWED_KEYS.has(key)) throw new Error(`${path}: "${key}" is not allowed in a structural schema`);
    out[key] = value;
  }
  if (isNode(node.items)) out.items = convert(node.items, `${path}[]`);
  if (isNode(node.additionalProperties)) out.additionalProperties = convert(node.additionalProperties, `${path}{}`);
  if (isNode(node.properties) && !isEmpty(node.properties)) out.properties = convertProperties(node.properties, path);
  assertBounded(out, path);
  return out;
}

function convertProperties(properties: StructuralSchema, path: string): StructuralSchema {
  const out: StructuralSchema = {};
  for (const name of Object.keys(properties).sort()) {
    const child = properties[name];
    if (!isNode(child)) throw new Error(`${path}.${name}: not a schema`);
    out[name] = convert(child, `${path}.${name}`);
  }
  return out;
}

function assertBounded(node: StructuralSchema, path: string): void {
  const problem = unbounded(node);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
}

function unbounded(node: StructuralSchema): string | undefined {
  switch (node.type) {
    case 'string':
      return unboundedString(node);
    case 'array':
      return lacks(node, ['maxItems', 'x-kubernetes-list-type']);
    case 'object':
      return node.additionalProperties === undefined ? undefined : unboundedMap(node);
    case 'integer':
      return lacks(node, ['minimum', 'maximum']);
    case 'boolean':
      return undefined;
    default:
      return `the type ${JSON.stringify(node.type)} is not part of the dialect`;
  }
}

function unboundedString(node: StructuralSchema): string | undefined {
  if (typeof node.pattern === 'string' && NOT_RE2.test(node.pattern)) return 'the pattern is not RE2';
  return node.enum === undefined ? lacks(node, ['maxLength']) : undefined;
}

function unboundedMap(node: StructuralSchema): string | undefined {
  if (node.properties !== undefined) return 'a map cannot have properties as well';
  return lacks(node, ['maxProperties']);
}

function lacks(node: StructuralSchema, keys: readonly string[]): string | undefined {
  const missing = keys.filter((key) => node[key] === undefined);
  return missing.length === 0 ? undefined : `${String(node.type)} needs ${missing.join(' and ')}`;
}

function isNode(value: unknown): value is StructuralSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(node: StructuralSchema): boolean {
  return Object.keys(node).length === 0;
}
