/** What runs, and from where: every container is of the one image, and a hook needs nothing that may be gone or never come. */
import { describe, expect, it } from 'vitest';
import { isJsonList, isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts, packageVersion } from '../../scripts/synth/charts.ts';
import { render } from './support/helm.ts';
import { metadataOf, ofKind } from './support/objects.ts';

const charts = await loadCharts(REPOSITORY);
const version = await packageVersion(REPOSITORY);
const cases = charts.flatMap((chart) =>
  Object.entries(chart.fixtures).map(([name, values]) => [chart.name, name, values] as const),
);
const everything = { governedNamespaces: [{ name: 'agents' }], probe: { enabled: true, namespace: 'canaries' } };

const hookOf = (object: JsonMap): string | undefined => metadataOf(object).annotations?.['helm.sh/hook'];

/** The specs of pods, however deep, with what they run. */
function podsIn(value: Json): readonly JsonMap[] {
  if (isJsonList(value)) return value.flatMap(podsIn);
  if (!isJsonMap(value)) return [];
  return isJsonList(value.containers ?? null) ? [value] : Object.values(value).flatMap(podsIn);
}

function imagesOf(pod: JsonMap): readonly unknown[] {
  const kinds = ['containers', 'initContainers', 'ephemeralContainers'];
  return kinds.flatMap((kind) => ((pod[kind] ?? []) as readonly JsonMap[]).map(({ image }) => image));
}

describe('every container, hooks among them', () => {
  it.each(cases)('runs the image of the values: %s with %s', async (chart, _, values) => {
    const { repository = 'localhost/agentplane/agentplane', digest } = (values.image ?? {}) as Record<string, string>;
    const image = digest === undefined ? `${repository}:${version}` : `${repository}@${digest}`;
    for (const found of (await render(chart, values)).flatMap(podsIn).flatMap(imagesOf)) expect(found).toBe(image);
  });

  it('is pinned by one digest, and pulled with the given Secrets', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const pulled = { image: { digest }, imagePullSecrets: [{ name: 'registry' }] };
    const pods = (await render('agentplane', { ...everything, ...pulled })).flatMap(podsIn);
    expect(pods.length).toBeGreaterThanOrEqual(4);
    for (const pod of pods) {
      expect(imagesOf(pod)).toEqual([expect.stringMatching(new RegExp(`@${digest}$`))]);
      expect(pod.imagePullSecrets).toEqual([{ name: 'registry' }]);
    }
  });
});

describe('every pod', () => {
  it('has the labels and annotations of pods, that of helm test as well: what a cluster demands of pods, it demands of each', async () => {
    const wanted = { podLabels: { team: 'platform' }, podAnnotations: { 'sidecar.istio.io/inject': 'false' } };
    const objects = await render('agentplane', { ...everything, ...wanted });
    const deployed = ofKind(objects, 'Deployment').map(
      ({ spec }) => (spec as unknown as { template: JsonMap }).template,
    );
    const pods = [...deployed, ...ofKind(objects, 'Pod')].map(metadataOf);
    expect(pods).toHaveLength(4);
    for (const { labels, annotations } of pods) {
      expect(labels).toMatchObject(wanted.podLabels);
      expect(annotations).toMatchObject(wanted.podAnnotations);
    }
  });

  it('is no hook by an annotation of the values', async () => {
    const hooked = { ...everything, podAnnotations: { 'helm.sh/hook': 'pre-install' } };
    await expect(render('agentplane', hooked)).rejects.toThrow('podAnnotations');
  });
});

describe('hooks', () => {
  it.each(cases)(
    'are tests alone: no install, upgrade or uninstall waits for one: %s with %s',
    async (chart, _, values) => {
      const hooks = (await render(chart, values)).filter((object) => hookOf(object) !== undefined);
      for (const hook of hooks) {
        expect(hookOf(hook)).toBe('test');
        expect(hook.kind).toBe('Pod');
      }
    },
  );

  it('run as an account that is no hook itself, and are removed by the next run only', async () => {
    const objects = await render('agentplane', everything);
    const accounts = ofKind(objects, 'ServiceAccount').filter((account) => hookOf(account) === undefined);
    const lasting = accounts.map((account) => metadataOf(account).name);
    const hooks = objects.filter((object) => hookOf(object) !== undefined);
    expect(hooks.length).toBeGreaterThan(0);
    for (const hook of hooks) {
      expect(metadataOf(hook).annotations?.['helm.sh/hook-delete-policy']).toBe('before-hook-creation');
      for (const pod of podsIn(hook)) expect(lasting).toContain(pod.serviceAccountName);
    }
  });
});
