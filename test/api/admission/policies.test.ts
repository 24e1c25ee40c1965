/** The policies as objects: the API server finds nothing wrong with any expression, and stores them as they are rendered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../../scripts/lib/repository.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { loadCharts } from '../../../scripts/synth/charts.ts';
import { synthStatic } from '../../../scripts/synth/synth-static.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { type AdmissionSite, admissionSite, INSTALL_NAMESPACE, removePolicies } from './site.ts';

const GOVERNED = 'admission-policies';

interface Policy extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly typeChecking?: { readonly expressionWarnings?: readonly { readonly warning: string }[] };
  };
}

let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED] });
});

afterAll(() => removePolicies(site));

async function live(kind: string): Promise<readonly Policy[]> {
  const list = await site.kubectl.get<{ readonly items: readonly Policy[] }>(kind);
  return (list?.items ?? []).filter(({ metadata }) => metadata.name.startsWith('agentplane-'));
}

async function rendered(kind: string): Promise<readonly KubeObject[]> {
  const chart = (await loadCharts(REPOSITORY)).find(({ name }) => name === 'agentplane-cluster');
  if (chart === undefined) throw new Error('no chart agentplane-cluster');
  const values = { installs: [{ namespace: INSTALL_NAMESPACE, governedNamespaces: [GOVERNED] }] };
  const objects = synthStatic(chart, values, { name: chart.name, namespace: INSTALL_NAMESPACE });
  return objects.filter((object) => object.kind === kind) as unknown as readonly KubeObject[];
}

describe('every policy', () => {
  it('is type-checked by the API server, which has nothing to say', async () => {
    const checked = await waitFor('type checking', { timeoutMs: 60_000, intervalMs: 250 }, async () => {
      const policies = await live('validatingadmissionpolicy');
      const pending = policies.filter(({ status, metadata }) => status?.observedGeneration !== metadata.generation);
      return pending.length === 0
        ? { done: true, value: policies }
        : { done: false, saw: pending.map(({ metadata }) => metadata.name).join(', ') };
    });
    expect(checked.length).toBe((await rendered('ValidatingAdmissionPolicy')).length);
    for (const { metadata, status } of checked) {
      expect(status?.typeChecking?.expressionWarnings ?? [], metadata.name).toEqual([]);
    }
  });

  it.each(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'])(
    'is stored as it is rendered: %s',
    async (kind) => {
      const stored = new Map((await live(kind.toLowerCase())).map((object) => [object.metadata.name, object]));
      const wanted = await rendered(kind);
      expect(wanted.length).toBeGreaterThan(15);
      for (const { metadata, spec } of wanted) expect(stored.get(metadata.name)?.spec, metadata.name).toEqual(spec);
    },
  );

  it('fails closed', async () => {
    for (const { metadata, spec } of await live('validatingadmissionpolicy')) {
      expect(spec, metadata.name).toMatchObject({ failurePolicy: 'Fail' });
    }
  });
});
