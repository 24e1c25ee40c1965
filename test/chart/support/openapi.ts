import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonMap, type Json, type JsonMap } from '../../../constructs/expr/json.ts';
import { goModuleSource } from '../../../scripts/clusters/go-build.ts';
import { ScriptError } from '../../../scripts/lib/errors.ts';

/** Path of the OpenAPI document of the Kubernetes that the test clusters are built from; undefined without Go. */
export async function kubernetesOpenApi(): Promise<string | undefined> {
  try {
    return path.join(await goModuleSource('kubernetes', 'k8s.io/kubernetes'), 'api', 'openapi-spec', 'swagger.json');
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

/**
 * Writes strict JSON schemas, one per kind, into a folder, named as kubeconform looks for them:
 * `{{ .ResourceKind }}{{ .KindSuffix }}.json`.
 */
export async function writeKindSchemas(openApi: string, folder: string, kinds: readonly string[]): Promise<void> {
  const { definitions } = JSON.parse(await readFile(openApi, 'utf8')) as {
    definitions: Readonly<Record<string, JsonMap>>;
  };
  await mkdir(folder, { recursive: true });
  for (const kind of kinds) {
    const [apiVersion = '', name = ''] = kind.split(' ');
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const entry = Object.entries(definitions).find(([, schema]) => isKind(schema, { group, version, kind: name }));
    if (entry === undefined) throw new Error(`${openApi} defines no ${kind}`);
    const schema = { $ref: `#/definitions/${entry[0]}`, definitions: closure(entry[0], definitions) };
    const suffix = group === '' ? version : `${group?.split('.')[0]}-${version}`;
    await writeFile(path.join(folder, `${name.toLowerCase()}-${suffix}.json`), JSON.stringify(schema));
  }
}

function isKind(schema: JsonMap, wanted: Readonly<Record<'group' | 'version' | 'kind', string | undefined>>): boolean {
  const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as unknown as readonly (typeof wanted)[];
  return kinds.some(
    (each) => each.group === wanted.group && each.version === wanted.version && each.kind === wanted.kind,
  );
}

/** A definition and everything that it refers to, closed against unknown fields. */
function closure(root: string, definitions: Readonly<Record<string, JsonMap>>): JsonMap {
  const found: Record<string, Json> = {};
  const queue = [root];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found[name] !== undefined) continue;
    const definition = definitions[name] ?? {};
    found[name] = strict(name, definition);
    queue.push(...[...JSON.stringify(definition).matchAll(/#\/definitions\/([^"]+)"/g)].map((match) => match[1] ?? ''));
  }
  return found;
}

function strict(name: string, definition: JsonMap): JsonMap {
  if (name.endsWith('.IntOrString') || name.endsWith('.Quantity')) return { type: ['string', 'integer'] };
  return isJsonMap(definition.properties) ? { ...definition, additionalProperties: false } : definition;
}
