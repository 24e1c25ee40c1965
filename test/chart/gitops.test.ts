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
import { PRODUCT_VERSION } from '../../src/version.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { judgeStrictly, type ModelOf, UNKNOWN_FIELD } from './support/strict-models.ts';
import { helms } from './support/tools.ts';

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
/** Below these, names are the reader's own. Values of our charts: by the schemas of the charts, further down. */
const FREE = ['annotations', 'values', 'valuesObject'];
const FOLDER = path.join(REPOSITORY, 'docs/gitops');
const examples = await readExamples();
const named = examples.map((example) => [`${example.kind} ${example.metadata.name}`, example] as const);
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
    const mistakes = examples.flatMap((example) =>
      misspelt(example).map((object) => ({ model: modelOf(example), object })),
    );
    expect(new Set(mistakes.map(({ model }) => model.kind))).toEqual(new Set(Object.keys(MODELS)));
    const judged = judgeStrictly([...examples.map((object) => ({ model: modelOf(object), object })), ...mistakes]);
    expect(named.map(([name], i) => [name, judged[i]])).toEqual(named.map(([name]) => [name, []]));
    const found = judged.slice(examples.length);
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

function valuesOf({ kind, metadata, spec }: Example): (readonly [string, string, JsonMap])[] {
  if (kind === 'HelmRelease') return [[`HelmRelease ${metadata.name}`, metadata.name, spec.values as JsonMap]];
  const { chart, helm } = spec.source as JsonMap;
  return typeof chart === 'string'
    ? [[`Application ${metadata.name}`, chart, (helm as JsonMap).valuesObject as JsonMap]]
    : [];
}
