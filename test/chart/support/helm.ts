import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { tryRun } from '../../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../../scripts/lib/repository.ts';
import type { ReleaseProps } from '../../../scripts/synth/synth-static.ts';
import { chartTools } from './tools.ts';

export interface Rendering {
  /** Undefined if Helm refused. */
  readonly text: string | undefined;
  readonly error: string;
}

export const chartFolder = (name: string): string => path.join(REPOSITORY, 'charts', name);

/** Of a customer. */
export const RELEASE: ReleaseProps = { name: 'agentplane', namespace: 'agentplane-system' };

/** What Helm 4 makes of one of our charts. */
export function print(chart: string, values: JsonMap): Promise<Rendering> {
  return helmTemplate(chartTools().helm4, chartFolder(chart), values, RELEASE);
}

/** The objects of it. @throws Error if Helm refuses */
export async function render(chart: string, values: JsonMap): Promise<readonly JsonMap[]> {
  return objectsOf(await print(chart, values));
}

/** `helm template` of a chart folder. A refusal is an answer, not an exception. */
export async function helmTemplate(
  helm: string,
  chart: string,
  values: JsonMap,
  release: ReleaseProps,
): Promise<Rendering> {
  return withValuesFile(values, async (file) => {
    const result = await tryRun(helm, [
      ...['template', release.name, chart, '--namespace', release.namespace],
      // A Helm built without a default Kubernetes version assumes 1.20.
      ...['--kube-version', '1.36.0', '--values', file],
    ]);
    return { text: result.code === 0 ? result.stdout : undefined, error: result.stderr };
  });
}

/** The objects of a rendering. @throws Error if Helm refused, or if what it printed is no YAML. */
export function objectsOf(rendering: Rendering): readonly JsonMap[] {
  if (rendering.text === undefined) throw new Error(`helm refused: ${rendering.error}`);
  const documents = parseAllDocuments(rendering.text);
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object = document.toJS() as JsonMap | null;
    return object === null ? [] : [object];
  });
}

/** JSON is YAML, and has one way to write a string. */
export async function withValuesFile<T>(values: JsonMap, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentplane-values-'));
  try {
    const file = path.join(folder, 'values.yaml');
    await writeFile(file, yamlSafe(JSON.stringify(values)));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** JSON as it stands is YAML but for these characters, which YAML wants to be escaped. */
function yamlSafe(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
