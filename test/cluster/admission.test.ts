/** Governance as a customer meets it: installed with Helm, a pod asked for before, while and after its policy is in force, and its packets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliverAgentPlane } from '../../scripts/image/image.ts';
import { messageOf } from '../../scripts/lib/errors.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import { type TestCluster, testCluster } from '../support/cluster.ts';
import { installAgentPlane, uninstallAgentPlane } from '../support/install.ts';
import { clientPod } from '../support/pods.ts';
import { ACCOUNT, API, PROFILE, policy, waitForReady, waitForReason } from '../support/policies.ts';
import { waitForTable } from './support/table.ts';

const GOVERNED = 'cluster-admission';
const POLICY = 'egress';
const agent = { namespace: GOVERNED, name: 'agent' };
const governed = { serviceAccountName: ACCOUNT, labels: { [PROFILE_LABEL]: PROFILE } };

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await testCluster('cilium');
  const { kubectl, helmClient: helm, workshop } = cluster;
  const image = await deliverAgentPlane(workshop, cluster);
  await workshop.progress.step(`install AgentPlane with admission in ${cluster.name}`, () =>
    installAgentPlane({ kubectl, helm, image, install: 'admission', governedNamespaces: [GOVERNED] }),
  );
  await kubectl.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: GOVERNED } },
    {
      apiVersion: API,
      kind: 'RuntimeProfile',
      metadata: { name: PROFILE, namespace: GOVERNED },
      spec: {
        serviceAccountName: ACCOUNT,
        images: { allowedPrefixes: ['localhost/agentplane/'], digest: 'Optional' },
        deletion: { timeoutSeconds: 60 },
      },
    },
  ]);
});

afterAll(async () => {
  if (cluster === undefined) return;
  // Profiles first: nobody would be left to let go of them.
  await cluster.kubectl.run('delete', 'namespace', GOVERNED, '--ignore-not-found', '--wait', '--timeout=120s');
  await uninstallAgentPlane(cluster.helmClient, 'admission');
  await cluster.giveBack();
});

/** What stands in the way of a pod; nothing where it would be admitted. */
async function refusal(pod: object): Promise<string> {
  try {
    await cluster.kubectl.apply([pod], '--dry-run=server');
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

function eventually(pod: object, expected: RegExp): Promise<string> {
  return waitFor(`a pod to meet ${expected}`, { timeoutMs: 30_000, intervalMs: 250 }, async () => {
    const said = await refusal(pod);
    return expected.test(said) ? { done: true, value: said } : { done: false, saw: said === '' ? 'admitted' : said };
  });
}

const cidr = (block: string) => ({ name: 'corp', to: [{ cidr: { block } }], ports: [{ port: 80 }] });
const at = (target: 'api' | 'evil') => `http://${cluster.targets.addresses[target]}/`;

const template = (clientPod({ ...agent, ...governed }) as { spec: { containers: [object] } }).spec;
const labels = { ...governed.labels, app: 'made' };

function deployment(kind: 'Deployment' | 'StatefulSet' = 'Deployment'): object {
  const spec = { selector: { matchLabels: { app: 'made' } }, template: { metadata: { labels }, spec: template } };
  return { apiVersion: 'apps/v1', kind, metadata: { namespace: GOVERNED, name: 'made' }, spec };
}

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: GOVERNED, name: 'made' },
  spec: {
    template: {
      metadata: { labels: governed.labels },
      spec: { ...template, restartPolicy: 'Never', containers: [{ ...template.containers[0], command: ['true'] }] },
    },
  },
};

describe('a governed pod', () => {
  const pod = clientPod({ ...agent, ...governed });

  it('is refused before a policy of its profile is in force', async () => {
    await eventually(pod, /RuntimeProfile research: generation 1 admits no pod: .*EgressPolicy/);
  });

  it('is admitted once one is, and reaches what the policy allows, and nothing else', async () => {
    const block = `${cluster.targets.addresses.api}/32`;
    await cluster.kubectl.apply([policy(GOVERNED, POLICY, { allow: [cidr(block)] })]);
    await waitForReady(cluster.kubectl, GOVERNED, POLICY);
    await eventually(pod, /^$/);
    await cluster.kubectl.apply([pod]);
    await cluster.kubectl.run('wait', '-n', GOVERNED, '--for=condition=Ready', 'pod/agent', '--timeout=120s');
    await waitForTable(cluster.kubectl, agent, { [at('api')]: 'api', [at('evil')]: 'denied' });
  });

  it('is refused without its label, as another user, and with a token', async () => {
    const other = { namespace: GOVERNED, name: 'other' };
    await eventually(clientPod({ ...other, serviceAccountName: ACCOUNT }), /set the label agentplane.dev\/profile/);
    const withToken = clientPod({ ...other, ...governed }) as { spec: object };
    const spec = { ...withToken.spec, automountServiceAccountToken: true };
    await eventually({ ...withToken, spec }, /no token of a ServiceAccount|serviceAccountToken is Denied/);
    await eventually(clientPod({ ...other, ...governed }), /^$/);
  });

  it('is made for a Deployment and a Job, whose author may use the profile, by controllers that are listed', async () => {
    await cluster.kubectl.apply([deployment(), job]);
    await cluster.kubectl.run('rollout', 'status', '-n', GOVERNED, 'deployment/made', '--timeout=60s');
    await cluster.kubectl.run('wait', '-n', GOVERNED, '--for=condition=Complete', 'job/made', '--timeout=60s');
    const target = { namespace: GOVERNED, name: 'deployment/made' };
    await waitForTable(cluster.kubectl, target, { [at('api')]: 'api', [at('evil')]: 'denied' });
  });

  it('is not made by a controller that is not listed, which says why', async () => {
    await cluster.kubectl.apply([deployment('StatefulSet')]);
    const event = /RuntimeProfile research: system:serviceaccount:kube-system:statefulset-controller may not use it/;
    await waitFor('the StatefulSet to be refused its pod', { timeoutMs: 30_000, intervalMs: 250 }, async () => {
      const events = ['get', 'events', '-n', GOVERNED, '--field-selector', 'involvedObject.kind=StatefulSet'];
      const saw = await cluster.kubectl.run(...events, '-o', 'jsonpath={.items[*].message}');
      return event.test(saw) ? { done: true, value: saw } : { done: false, saw };
    });
    const made = ['deployment', 'statefulset', 'job'].map((kind) => `${kind}/made`);
    await cluster.kubectl.run('delete', '-n', GOVERNED, ...made, '--cascade=foreground', '--wait', '--timeout=60s');
  });

  it('is refused after an update that cannot be applied, while the one that runs keeps what was in force', async () => {
    const block = '169.254.0.0/16';
    await cluster.kubectl.apply([policy(GOVERNED, POLICY, { allow: [cidr(block)] })]);
    const seen = await waitForReason(cluster.kubectl, { namespace: GOVERNED, name: POLICY }, 'InvalidPolicy');
    expect(seen.status?.inForce?.generation).toBe(1);
    await eventually(
      clientPod({ namespace: GOVERNED, name: 'late', ...governed }),
      /generation 2 is not in force: InvalidPolicy/,
    );
    await waitForTable(cluster.kubectl, agent, { [at('api')]: 'api', [at('evil')]: 'denied' });
  });

  it('holds its profile, which goes when the pod has gone', async () => {
    const block = `${cluster.targets.addresses.api}/32`;
    await cluster.kubectl.apply([policy(GOVERNED, POLICY, { allow: [cidr(block)] })]);
    await waitForReady(cluster.kubectl, GOVERNED, POLICY);
    await cluster.kubectl.run('delete', 'runtimeprofile', '-n', GOVERNED, PROFILE, '--wait=false');
    const waiting = await waitFor('the profile to wait', { timeoutMs: 30_000, intervalMs: 250 }, async () => {
      const profile = await cluster.kubectl.get<{ status?: { workloads?: { remaining?: unknown } } }>(
        'runtimeprofile',
        '-n',
        GOVERNED,
        PROFILE,
      );
      const remaining = profile?.status?.workloads?.remaining;
      return remaining === undefined
        ? { done: false, saw: JSON.stringify(profile?.status) }
        : { done: true, value: remaining };
    });
    expect(waiting).toEqual([{ kind: 'Pod', name: 'agent' }]);
    await eventually(clientPod({ namespace: GOVERNED, name: 'late', ...governed }), /is being deleted/);
    await cluster.kubectl.run('delete', 'pod', '-n', GOVERNED, 'agent', '--wait');
    await cluster.kubectl.run('wait', '-n', GOVERNED, '--for=delete', `runtimeprofile/${PROFILE}`, '--timeout=60s');
  });
});
