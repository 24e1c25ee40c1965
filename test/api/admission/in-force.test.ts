/**
 * A failed security update cannot look applied. No operator runs here: statuses are what an operator last wrote, and the API server compares
 * them with the newest generations by itself.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { API, PROFILE } from '../../support/policies.ts';
import { pod, strictProfile } from './pod.ts';
import {
  type AdmissionSite,
  admissionSite,
  INSTALL_NAMESPACE,
  INVENTORY,
  openProfile,
  removePolicies,
  TENANT,
  writeStatus,
} from './site.ts';

const GOVERNED = 'in-force';
let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED] });
});

afterAll(() => removePolicies(site));

/** What stands in the way of a pod; nothing where it is admitted. */
async function refusal(): Promise<string> {
  const path = `/api/v1/namespaces/${GOVERNED}/pods?dryRun=All`;
  const { status, body } = await site.api({ method: 'POST', path, body: pod(GOVERNED, 'p') }, TENANT);
  return status === 201 ? '' : String(body.message);
}

/** The API server follows its parameters by a watch of its own. */
function eventually(expected: RegExp): Promise<string> {
  return waitFor(`a pod to meet ${expected}`, { timeoutMs: 10_000, intervalMs: 50 }, async () => {
    const said = await refusal();
    return expected.test(said) ? { done: true, value: said } : { done: false, saw: said === '' ? 'admitted' : said };
  });
}

const ADMITTED = /^$/;

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly spec: object;
  /** Another valid spec. */
  readonly newer: object;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'EgressPolicy',
    plural: 'egresspolicies',
    spec: {},
    newer: { dns: { access: 'ClusterResolver' } },
  },
  {
    kind: 'SecretBinding',
    plural: 'secretbindings',
    spec: { secretRef: { name: 'model-key' }, keys: ['token'], exposure: 'AgentReadable' },
    newer: { keys: ['other'] },
  },
  {
    kind: 'PolicyBundle',
    plural: 'policybundles',
    spec: { source: { inline: { rules: [] } } },
    newer: { targets: ['Cedar'] },
  },
];

const pathOf = (plural: string) => `/apis/agentplane.dev/v1alpha1/namespaces/${GOVERNED}/${plural}/current`;

async function write({ kind, plural, spec, newer }: Kind, generation: 1 | 2): Promise<void> {
  const all = { profileRef: { name: PROFILE }, ...spec, ...(generation === 1 ? {} : newer) };
  await site.kubectl.apply([{ apiVersion: API, kind, metadata: { name: 'current', namespace: GOVERNED }, spec: all }]);
  const stored = await site.kubectl.get<KubeObject>(plural, '-n', GOVERNED, 'current');
  expect(stored?.metadata.generation).toBe(generation);
}

function ready(generation: number, status: 'True' | 'False', reason: string, message: string): object {
  const condition = { type: 'Ready', status, reason, message, observedGeneration: generation };
  return {
    observedGeneration: generation,
    conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  };
}

describe.each(KINDS.map((kind) => [kind.kind, kind] as const))(
  'a newer generation of the %s of a profile',
  (_, kind) => {
    beforeEach(async () => {
      await site.kubectl.run('delete', kind.plural, '-n', GOVERNED, '--all', '--wait');
      await eventually(ADMITTED);
      await write(kind, 1);
      await eventually(new RegExp(`${kind.kind} current, generation 1 has not been judged`));
      await writeStatus(site.api, pathOf(kind.plural), ready(1, 'True', 'Ready', 'generation 1 is in force'));
      await eventually(ADMITTED);
      return async () => {
        await site.kubectl.run('delete', kind.plural, '-n', GOVERNED, '--all', '--wait');
      };
    });

    it('closes admission while no operator has judged it, and inherits nothing', async () => {
      await write(kind, 2);
      expect(await eventually(/generation 2/)).toMatch(
        new RegExp(`Pod p: ${kind.kind} current, generation 2 has not been judged: its status is about generation 1`),
      );
    });

    it('opens it again once it is in force', async () => {
      await write(kind, 2);
      await eventually(/generation 2/);
      await writeStatus(site.api, pathOf(kind.plural), ready(2, 'True', 'Ready', 'generation 2 is in force'));
      await eventually(ADMITTED);
    });

    it('closes it, with the reason, when it cannot be applied', async () => {
      await write(kind, 2);
      const status = ready(2, 'False', 'UnsupportedProvider', 'rule model-api: domain.exact is missing');
      await writeStatus(site.api, pathOf(kind.plural), status);
      expect(await eventually(/UnsupportedProvider/)).toMatch(
        new RegExp(
          `${kind.kind} current, generation 2 is not in force: UnsupportedProvider: rule model-api: domain.exact is missing`,
        ),
      );
    });
  },
);

describe('a newer generation of the profile itself', () => {
  it('closes admission until the operator has put it in force, and says so', async () => {
    await eventually(ADMITTED);
    const { spec, ...rest } = strictProfile(GOVERNED);
    await site.kubectl.apply([{ ...rest, spec: { ...spec, deletion: { timeoutSeconds: 60 } } }]);
    expect(await eventually(/generation 2/)).toMatch(
      /Pod p: RuntimeProfile research: generation 2 is not in force; in force for admission is generation 1/,
    );
    await openProfile(site, GOVERNED, PROFILE);
    await eventually(ADMITTED);
  });

  it('admits nothing while it is shut, with the reason of the operator', async () => {
    const path = `/apis/agentplane.dev/v1alpha1/namespaces/${GOVERNED}/runtimeprofiles/${PROFILE}`;
    await writeStatus(site.api, path, {
      admission: { generation: 2, open: false, message: 'no EgressPolicy names it' },
    });
    expect(await eventually(/admits no pod/)).toMatch(
      /RuntimeProfile research: generation 2 admits no pod: no EgressPolicy names it/,
    );
    await openProfile(site, GOVERNED, PROFILE);
    await eventually(ADMITTED);
  });
});

describe('a governed namespace without a profile', () => {
  it('runs nothing yet', async () => {
    await site.kubectl.run('delete', 'runtimeprofiles', '-n', GOVERNED, '--all', '--wait');
    await eventually(/no params found/);
    await site.kubectl.apply([strictProfile(GOVERNED)]);
    await openProfile(site, GOVERNED, PROFILE);
    await eventually(ADMITTED);
  });
});

describe('the status that admission trusts', () => {
  it('is written by nobody but the operator: not by a cluster admin either', async () => {
    const path = `/apis/agentplane.dev/v1alpha1/namespaces/${GOVERNED}/runtimeprofiles/${PROFILE}/status`;
    const body = { status: { admission: { generation: 9, open: true } } };
    const answer = await site.api({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
    expect(answer.body.message).toMatch(/RuntimeProfile research: its status is written by AgentPlane alone/);
  });

  it('of a CapabilityReport is written by the inventory: not by a cluster admin, who may create one', async () => {
    const reports = `/apis/agentplane.dev/v1alpha1/namespaces/${INSTALL_NAMESPACE}/capabilityreports`;
    const report = { apiVersion: API, kind: 'CapabilityReport', metadata: { name: 'cluster' } };
    await site.api({ method: 'POST', path: reports, body: report });
    const patch = {
      method: 'PATCH',
      path: `${reports}/cluster/status?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: { status: { observedAt: '2030-01-01T00:00:00Z' } },
    } as const;
    const refused = await site.api(patch);
    expect(refused.body.message).toMatch(/CapabilityReport cluster: its status is written by AgentPlane alone/);
    expect((await site.api(patch, INVENTORY)).status).toBe(200);
  });
});
