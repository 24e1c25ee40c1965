/** The examples for Argo CD and Flux: valid by the schemas of these tools, with values that the charts take, of this version. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Application, AppProject } from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1';
import { HelmRelease } from '@kubernetes-models/flux-cd/helm.toolkit.fluxcd.io/v2';
import { Kustomization } from '@kubernetes-models/flux-cd/kustomize.toolkit.fluxcd.io/v1';
import { GitRepository, OCIRepository } from '@kubernetes-models/flux-cd/source.toolkit.fluxcd.io/v1';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json, JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { KINDS } from '../../src/api/kinds.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { judgeStrictly, type ModelOf, UNKNOWN_FIELD } from './support/strict-models.ts';
import { chartTools, helms } from './support/tools.ts';

interface Example extends JsonMap {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> } & JsonMap;
  readonly spec: JsonMap;
}

const MODELS = { Application, AppProject, HelmRelease, Kustomization, GitRepository, OCIRepository } as const;
/** Where the types of the same are. */
const MODULES: Readonly<Record<keyof typeof MODELS, string>> = {
  Application: '@kubernetes-models/argo-cd/argoproj.io/v1alpha1',
  AppProject: '@kubernetes-models/argo-cd/argoproj.io/v1alpha1',
  HelmRelease: '@kubernetes-models/flux-cd/helm.toolkit.fluxcd.io/v2',
  Kustomization: '@kubernetes-models/flux-cd/kustomize.toolkit.fluxcd.io/v1',
  GitRepository: '@kubernetes-models/flux-cd/source.toolkit.fluxcd.io/v1',
  OCIRepository: '@kubernetes-models/flux-cd/source.toolkit.fluxcd.io/v1',
};
/** Of Kubernetes itself: structure.test.ts looks at them. */
const CORE = ['Role', 'RoleBinding', 'ServiceAccount'];
/** Below these, names are the reader's own. Values of our charts: by the schemas of the charts, further down. */
const FREE = ['annotations', 'values', 'valuesObject'];
const FOLDER = path.join(REPOSITORY, 'docs/gitops');
const examples = await readExamples();
const ofTools = examples.filter(({ kind }) => !CORE.includes(kind));
const named = ofTools.map((example) => [`${example.kind} ${example.metadata.name}`, example] as const);
const ofKind = (kind: string) => examples.filter((example) => example.kind === kind);

async function readExamples(): Promise<readonly Example[]> {
  const names = await readdir(FOLDER, { recursive: true });
  const files = names.filter((name) => name.endsWith('.yaml') && !name.endsWith('argocd-cm.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(path.join(FOLDER, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Example));
}

/** Throws what the schema of its tool says against it. */
function validate(example: Example): void {
  const Model = MODELS[example.kind as keyof typeof MODELS];
  new Model(example as never).validate();
}

function modelOf({ kind }: Example): ModelOf {
  return { kind, module: MODULES[kind as keyof typeof MODELS] };
}

/** The object once for each of its fields, with a second field beside it whose name is misspelt. */
function misspelt(value: JsonMap): readonly JsonMap[] {
  return Object.entries(value).flatMap(([name, item]) => [
    { ...value, [`${name}x`]: item },
    ...(FREE.includes(name) ? [] : within(item).map((changed) => ({ ...value, [name]: changed }))),
  ]);
}

function within(item: Json): readonly Json[] {
  if (Array.isArray(item)) {
    return item.flatMap((each: Json, i) => within(each).map((changed) => item.with(i, changed) as Json));
  }
  return typeof item === 'object' && item !== null ? misspelt(item as JsonMap) : [];
}

describe('the examples of docs/gitops/', () => {
  it('have no field that its tool does not know, and one that is misspelt is found wherever it is', () => {
    const mistakes = ofTools.flatMap((example) =>
      misspelt(example).map((object) => ({ model: modelOf(example), object })),
    );
    expect(new Set(mistakes.map(({ model }) => model.kind))).toEqual(new Set(Object.keys(MODELS)));
    const judged = judgeStrictly([...ofTools.map((object) => ({ model: modelOf(object), object })), ...mistakes]);
    expect(named.map(([name], i) => [name, judged[i]])).toEqual(named.map(([name]) => [name, []]));
    const found = judged.slice(ofTools.length);
    expect(mistakes.filter((_, i) => found[i]?.some((text) => UNKNOWN_FIELD.test(text)) !== true)).toEqual([]);
  });

  it.each(named)('%s is what its tool takes', (_, example) => {
    expect(() => validate(example)).not.toThrow();
    // Its twin: the schema sees a mistake in it.
    expect(() =>
      validate({ ...example, spec: { ...example.spec, interval: 5, project: 5, destinations: 5 } as JsonMap }),
    ).toThrow();
  });

  it('are of every chart, in the order in which one needs the other', () => {
    const waves = ofKind('Application').map(({ metadata }) => [
      Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? Number.NaN),
      metadata.name,
    ]);
    const inOrder = waves.filter(([wave]) => !Number.isNaN(wave)).sort(([a], [b]) => Number(a) - Number(b));
    const order = ['agentplane-crds', 'agentplane-cluster', 'agentplane', 'team-a-policies'];
    expect(inOrder.map(([, name]) => name)).toEqual(order);
    const needs = Object.fromEntries(
      ofKind('HelmRelease').map(({ metadata, spec }) => [metadata.name, spec.dependsOn]),
    );
    expect(needs).toEqual({
      'agentplane-crds': undefined,
      'agentplane-cluster': [{ name: 'agentplane-crds' }],
      agentplane: [{ name: 'agentplane-cluster' }],
    });
  });

  it.each([...ofKind('Application'), ...ofKind('HelmRelease')].flatMap(valuesOf))(
    '%s gives values that the chart takes, and that govern what it says',
    async (_, chart, values) => {
      for (const [, helm] of helms()) {
        const rendering = await helmTemplate(helm, chartFolder(chart), values, {
          name: chart,
          namespace: 'agentplane',
        });
        const namespaces = objectsOf(rendering).map(({ metadata }) => (metadata as JsonMap).namespace);
        if (chart === 'agentplane') expect(namespaces).toContain('team-a');
      }
    },
  );

  it('take the charts of this version', () => {
    const applications = ofKind('Application').filter(({ spec }) => 'chart' in (spec.source as JsonMap));
    expect(applications.map(({ spec }) => (spec.source as JsonMap).targetRevision)).toEqual(
      Array(3).fill(PRODUCT_VERSION),
    );
    const tags = ofKind('OCIRepository').map(({ spec }) => (spec.ref as JsonMap).tag);
    expect(tags).toEqual(Array(3).fill(PRODUCT_VERSION));
  });

  it('ask Argo CD for nothing that the project of the Application does not permit', async () => {
    const refused: string[] = [];
    for (const { metadata, spec } of ofKind('Application')) {
      const project = projectOf(spec);
      const asked = [...namespacesMade(spec), ...(await renderedFor(spec))];
      refused.push(
        ...asked.filter((object) => !permits(project, object)).map(({ kind }) => `${metadata.name}: ${kind}`),
      );
    }
    expect(refused).toEqual([]);
    // Its twins: neither a kind of the cluster nor a namespace is permitted that the project does not list.
    const [crds] = ofKind('Application').filter(({ metadata }) => metadata.name === 'agentplane-crds');
    expect(namespacesMade(crds?.spec ?? {})).toEqual([{ group: '', kind: 'Namespace' }]);
    const platform = projectOf({ project: 'platform' });
    expect(permits(platform, { group: '', kind: 'Node' })).toBe(false);
    expect(permits(platform, { group: '', kind: 'ConfigMap', namespace: 'somewhere-else' })).toBe(false);
  });

  it('tell Flux which layer is the chart: the first may be its signature', () => {
    const selectors = ofKind('OCIRepository').map(({ spec }) => spec.layerSelector);
    const chart = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' };
    expect(selectors).toEqual(Array(3).fill(chart));
  });

  it('bring the account that Flux writes policies with, and give it those of the one namespace alone', () => {
    const [account] = ofKind('Kustomization').map(({ metadata, spec }) => ({
      name: spec.serviceAccountName,
      namespace: metadata.namespace,
    }));
    expect(ofKind('ServiceAccount').map(({ metadata }) => metadata)).toEqual([account]);
    const bindings = ofKind('RoleBinding').map(({ metadata, subjects }) => [metadata.namespace, subjects]);
    expect(bindings).toEqual([['team-a', [{ kind: 'ServiceAccount', ...account }]]]);
    const [role, ...others] = ofKind('Role').map(({ metadata, rules }) => [metadata.namespace, rules] as const);
    expect(others).toEqual([]);
    const written = KINDS.filter(({ spec }) => spec !== undefined).map(({ plural }) => plural);
    const [rule] = (role?.[1] ?? []) as readonly JsonMap[];
    expect([role?.[0], rule?.apiGroups]).toEqual(['team-a', ['agentplane.dev']]);
    expect(new Set(rule?.resources as readonly string[])).toEqual(new Set(written));
  });

  it('let a team sync nothing that is cluster-scoped', () => {
    const specs = ofKind('AppProject')
      .filter(({ metadata }) => metadata.name === 'team-a')
      .map(({ spec }) => spec);
    expect(specs.map(({ clusterResourceWhitelist }) => clusterResourceWhitelist)).toEqual([[]]);
    const groups = specs.flatMap((spec) =>
      (spec.namespaceResourceWhitelist as readonly JsonMap[]).map(({ group }) => group),
    );
    expect(new Set(groups)).toEqual(new Set(['agentplane.dev']));
  });
});

interface Asked {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
}

function projectOf({ project }: JsonMap): JsonMap {
  const found = ofKind('AppProject').find(({ metadata }) => metadata.name === project);
  if (found === undefined) throw new Error(`there is no project ${String(project)}`);
  return found.spec;
}

/** Argo CD asks the project about the namespace that it makes as about any other object. */
function namespacesMade({ syncPolicy }: JsonMap): readonly Asked[] {
  const { syncOptions = [] } = (syncPolicy ?? {}) as { readonly syncOptions?: readonly string[] };
  return syncOptions.includes('CreateNamespace=true') ? [{ group: '', kind: 'Namespace' }] : [];
}

async function renderedFor(spec: JsonMap): Promise<readonly Asked[]> {
  const { chart, helm } = spec.source as JsonMap;
  if (typeof chart !== 'string') return [];
  const release = { name: chart, namespace: String((spec.destination as JsonMap).namespace) };
  const values = (helm as JsonMap).valuesObject as JsonMap;
  const rendering = await helmTemplate(chartTools().helm3, chartFolder(chart), values, release);
  return objectsOf(rendering).map(({ apiVersion, kind, metadata }) => {
    const [group, version] = String(apiVersion).split('/');
    return {
      group: version === undefined ? '' : String(group),
      kind: String(kind),
      ...(metadata as { readonly namespace?: string }),
    };
  });
}

function permits(project: JsonMap, { group, kind, namespace }: Asked): boolean {
  const listed = (list: Json | undefined) => (list ?? []) as readonly JsonMap[];
  return namespace === undefined
    ? listed(project.clusterResourceWhitelist).some((item) => item.group === group && item.kind === kind)
    : listed(project.destinations).some((item) => item.namespace === namespace);
}

function valuesOf({ kind, metadata, spec }: Example): (readonly [string, string, JsonMap])[] {
  if (kind === 'HelmRelease') return [[`HelmRelease ${metadata.name}`, metadata.name, spec.values as JsonMap]];
  const { chart, helm } = spec.source as JsonMap;
  return typeof chart === 'string'
    ? [[`Application ${metadata.name}`, chart, (helm as JsonMap).valuesObject as JsonMap]]
    : [];
}
