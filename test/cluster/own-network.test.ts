/** The fence around AgentPlane's own pods, with packets: what runs under their labels reaches the ports of the API server, and it alone by name. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { clientPod, serverPod } from '../support/pods.ts';
import { INSTALL, openSite, type Site, TOOLS } from './support/site.ts';
import { expectTable, look, type Table } from './support/table.ts';

/** No fence is about it: what answers here is there. */
const FREE = { namespace: INSTALL, name: 'free' };
const COMPONENTS = ['operator', 'inventory'].map((name) => ({ namespace: INSTALL, name }));
/** Listens where the API server does, and is none. */
const IMPOSTOR = 'impostor';
let site: Site;
let open: Table;
/** It answers plain HTTP with a complaint, which is an answer. */
let apiServer: string;
let impostor: string;

beforeAll(async () => {
  site = await openSite('cilium');
  await site.kubectl.apply([
    serverPod({ namespace: TOOLS, name: IMPOSTOR }, [6443]),
    clientPod(FREE),
    ...COMPONENTS.map((pod) => clientPod({ ...pod, labels: labelsOf(pod.name) })),
  ]);
  const pods = [FREE, ...COMPONENTS].map(({ name }) => `pod/${name}`);
  await site.kubectl.run('wait', '-n', INSTALL, '--for=condition=Ready', ...pods, '--timeout=120s');
  await site.kubectl.run('wait', '-n', TOOLS, '--for=condition=Ready', `pod/${IMPOSTOR}`, '--timeout=120s');
  const address = async (namespace: string, kind: string, name: string, at: string) =>
    (await site.kubectl.run('get', kind, '-n', namespace, name, '-o', `jsonpath={${at}}`)).trim();
  apiServer = `http://${await address('default', 'service', 'kubernetes', '.spec.clusterIP')}:443/`;
  impostor = `http://${await address(TOOLS, 'pod', IMPOSTOR, '.status.podIP')}:6443/`;
  const resolver = await address('kube-system', 'service', 'kube-dns', '.spec.clusterIP');
  const attempts = [
    ...[apiServer, impostor, `http://${site.targets.addresses.api}/`, `http://${site.pods.tool}:8080/`],
    `dns://${resolver}/api.example.test`,
  ];
  open = await look(site.kubectl, FREE, Object.fromEntries(attempts.map((attempt) => [attempt, ''])));
});

afterAll(() => site?.close());

const labelsOf = (component: string) => ({
  'app.kubernetes.io/name': 'agentplane',
  'app.kubernetes.io/component': component,
});

/** What is open to a pod that may reach only these of everything. */
function only(...attempts: readonly string[]): Table {
  const outcomes = Object.entries(open).map(([attempt, outcome]) => [
    attempt,
    attempts.includes(attempt) ? outcome : 'denied',
  ]);
  return Object.fromEntries(outcomes);
}

describe('the own pods', () => {
  it('stand where everything answers', () => {
    expect(Object.values(open)).not.toContain('denied');
    expect(Object.keys(open)).toHaveLength(5);
  });

  it.each(COMPONENTS)(
    '$name: reaches the API server by its ports, and no resolver, target or pod at others',
    async (pod) => {
      await expectTable(site.kubectl, pod, only(apiServer, impostor));
    },
  );

  it('reach the API server alone, where Cilium is told its name', async () => {
    const chart = path.join(REPOSITORY, 'charts/agentplane');
    const strict = ['--reuse-values', '--set', 'networkPolicy.ciliumEgress=true', '--wait', '--timeout=120s'];
    await site.helmClient.run('upgrade', 'agentplane', chart, '--namespace', INSTALL, ...strict);
    for (const pod of COMPONENTS) await expectTable(site.kubectl, pod, only(apiServer));
    // The real ones go on working: nothing that they need was shut.
    await site.kubectl.run('rollout', 'restart', '-n', INSTALL, 'deployment/agentplane-operator');
    await site.kubectl.run('rollout', 'status', '-n', INSTALL, 'deployment/agentplane-operator', '--timeout=120s');
  });
});
