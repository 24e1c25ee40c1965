/** Pods to judge, pods to send packets to, and Cilium's own word for when policies are in force. No AgentPlane is needed. */
import { readFile } from 'node:fs/promises';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { type TestCluster, testCluster } from '../../support/cluster.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { clientPod, serverPod } from '../../support/pods.ts';
import { execWhole } from '../../support/probe.ts';
import type { Attempt, Outcome } from './effective-attempts.ts';
import { TOOLS_LABELS } from './effective-drafts.ts';
import { NAMES, type Places, type PodTarget } from './effective-flows.ts';

export const SUBJECTS_NAMESPACE = 'effective-subjects';
const TOOLS_NAMESPACE = 'effective-tools';
/** Looks names up through Cilium's DNS proxy for all others: what an address is called is known to the node, not to a pod. */
const TEACHER = { namespace: TOOLS_NAMESPACE, name: 'teacher' };
const POD_PORTS = [8080, 8081];

export interface Scene {
  readonly kubectl: Kubectl;
  readonly places: Places;
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;
  close(): Promise<void>;
}

export async function openScene(subjects: readonly string[]): Promise<Scene> {
  const cluster = await testCluster('cilium');
  const { kubectl } = cluster;
  await removeRemains(kubectl, '--wait', '--timeout=180s');
  await cluster.workshop.progress.step(`pods in ${cluster.name}`, () => startPods(kubectl, subjects));
  return {
    kubectl,
    places: await findPlaces(cluster),
    namespaces: { [SUBJECTS_NAMESPACE]: {}, [TOOLS_NAMESPACE]: TOOLS_LABELS, 'kube-system': {} },
    close: async () => {
      await (cluster.wasUp ? removeRemains(kubectl, '--wait=false') : cluster.remove());
      await cluster.giveBack();
    },
  };
}

const SERVERS = [
  { namespace: TOOLS_NAMESPACE, name: 'tool', labels: { app: 'tool', tier: 'back' } },
  { namespace: SUBJECTS_NAMESPACE, name: 'web', labels: { app: 'web', tier: 'front' } },
];

async function startPods(kubectl: Kubectl, subjects: readonly string[]): Promise<void> {
  const namespace = (name: string, labels: object) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
  await kubectl.apply([namespace(SUBJECTS_NAMESPACE, {}), namespace(TOOLS_NAMESPACE, TOOLS_LABELS)]);
  const accounts = subjects.map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: SUBJECTS_NAMESPACE, name },
  }));
  await kubectl.apply([...accounts, teacherPolicy()]);
  await kubectl.apply([
    ...SERVERS.map((server) => serverPod(server, POD_PORTS)),
    clientPod(TEACHER),
    ...subjects.map((name) =>
      clientPod({ namespace: SUBJECTS_NAMESPACE, name, serviceAccountName: name, labels: labelsOf(name) }),
    ),
  ]);
  for (const name of [SUBJECTS_NAMESPACE, TOOLS_NAMESPACE]) {
    await kubectl.run('wait', '-n', name, '--for=condition=Ready', 'pod', '--all', '--timeout=120s');
  }
}

export function labelsOf(subject: string): Readonly<Record<string, string>> {
  return { subject, app: 'agent' };
}

function teacherPolicy(): object {
  const { namespace, name } = TEACHER;
  const ports = [{ port: '53', protocol: 'UDP' }];
  const egress = [{ toEntities: ['cluster'], toPorts: [{ ports, rules: { dns: [{ matchPattern: '*' }] } }] }];
  const spec = { endpointSelector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, egress };
  return { apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy', metadata: { namespace, name }, spec };
}

interface Found {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly serviceAccountName?: string };
  readonly status: { readonly podIP: string };
}

async function findPlaces({ kubectl, targets }: TestCluster): Promise<Places> {
  const pods = await Promise.all(
    SERVERS.map(async ({ namespace, name }): Promise<PodTarget> => {
      const { pod, address } = asTarget(namespace, await kubectl.get<Found>('pod', '-n', namespace, name));
      return { title: name, address, ports: POD_PORTS, pod };
    }),
  );
  const kubeSystem = ['-n', 'kube-system'];
  const behind = await kubectl.get<{ items: Found[] }>('pod', ...kubeSystem, '-l', 'k8s-app=kube-dns');
  const address = await kubectl.run('get', 'service', ...kubeSystem, 'kube-dns', '-o', 'jsonpath={.spec.clusterIP}');
  const internal = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  const node = (await kubectl.run('get', 'node', '-o', internal)).trim();
  const { pod } = asTarget('kube-system', behind?.items[0]);
  return { targets, pods, node, resolver: { address: address.trim(), pod } };
}

function asTarget(namespace: string, found: Found | undefined): Pick<PodTarget, 'pod' | 'address'> {
  if (found === undefined) throw new Error(`a pod of ${namespace} is gone`);
  const { metadata, spec, status } = found;
  const { labels = {} } = metadata;
  const namespaceLabels = namespace === TOOLS_NAMESPACE ? TOOLS_LABELS : {};
  const { serviceAccountName = 'default' } = spec;
  return { address: status.podIP, pod: { kind: 'pod', namespace, namespaceLabels, labels, serviceAccountName } };
}

/** Whoever needs the names again waits for them: pods take half a minute to end. */
async function removeRemains(kubectl: Kubectl, ...wait: readonly string[]): Promise<void> {
  const names = [SUBJECTS_NAMESPACE, TOOLS_NAMESPACE];
  await kubectl.run('delete', 'namespace', ...names, '--ignore-not-found', ...wait);
}

const AGENT = ['exec', '-n', 'kube-system', 'daemonset/cilium', '-c', 'cilium-agent', '--', 'cilium-dbg'];
const NAME_LABEL = /"key": "io\.cilium\.k8s\.policy\.name",\s*"value": "([^"]+)"/g;

/** Returns when the agent has taken exactly these policies whose names begin so, and every endpoint enforces what it has taken. */
export async function waitForPolicies(kubectl: Kubectl, prefix: string, names: readonly string[]): Promise<void> {
  const expected = [...names].sort().join();
  const revision = await waitFor('the agent to take the policies', { timeoutMs: 30_000 }, async () => {
    const taken = JSON.parse(await kubectl.run(...AGENT, 'policy', 'get', '-o', 'json')) as {
      policy: string;
      revision: number;
    };
    const all = [...taken.policy.matchAll(NAME_LABEL)].map((match) => match[1] ?? '');
    const ours = [...new Set(all)]
      .filter((name) => name.startsWith(prefix))
      .sort()
      .join();
    return ours === expected ? { done: true, value: taken.revision } : { done: false, saw: ours };
  });
  await kubectl.run(...AGENT, 'policy', 'wait', String(revision), '--max-wait-time', '60', '--fail-wait-time', '60');
}

/** Looks all names up again: their answers live for seconds. */
export async function teachNames({ kubectl, places }: Scene): Promise<void> {
  const attempts = NAMES.map((name): Attempt => ({ kind: 'dns', server: places.resolver.address, name }));
  await waitFor('the names to be looked up', { timeoutMs: 20_000 }, async () => {
    const outcomes = await probe(kubectl, TEACHER, attempts);
    return outcomes.every((outcome) => outcome === 'open')
      ? { done: true, value: undefined }
      : { done: false, saw: outcomes.join() };
  });
}

const PROBER = new URL('./effective-prober.ts', import.meta.url);

/** Tries everything at once from inside the pod. */
export async function probe(
  kubectl: Kubectl,
  pod: { readonly namespace: string; readonly name: string },
  attempts: readonly Attempt[],
): Promise<readonly Outcome[]> {
  const program = await readFile(PROBER, 'utf8');
  const command = ['node', '--input-type=module-typescript', '-e', program, JSON.stringify(attempts)];
  const { stdout, stderr } = await execWhole(kubectl, pod, command);
  const outcomes = JSON.parse(stdout === '' ? 'null' : stdout) as readonly Outcome[] | null;
  if (outcomes === null) throw new Error(`the prober in ${pod.name} failed: ${stderr}`);
  return outcomes;
}
