/** Flows at the boundaries of a policy: what is just inside and just outside of each thing it says. */
import type { DomainDestination, WorkloadsDestination } from '../../src/api/egress-destination.ts';
import type { EgressPolicySpec, EgressPort, EgressRule } from '../../src/api/egress-policy.ts';
import type { Destination, Flow } from '../../src/effective/types.ts';
import type { Ground } from './arbitrary-policy.ts';
import { API_SERVERS, RESOLVER } from './arbitrary-policy-facts.ts';
import { domainsOf } from './asked.ts';
import { addressText, bitsOf, type Family, lastOf, parseRange } from './ip-range.ts';

/** Outside of every cluster, one per family: where a name resolves to. */
const ANSWERS: Readonly<Record<Family, string>> = { IPv4: '198.51.100.7', IPv6: '2001:db8:1::7' };
const METADATA = ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200'];
/** The most flows that one policy is judged by; large policies are thinned out evenly. */
const MAX_FLOWS = 200;

/** There are no answers to queries in a family that the cluster does not have. */
export function boundaryFlows(spec: EgressPolicySpec, place: Ground): readonly Flow[] {
  const byRule = spec.allow.flatMap((rule) => ruleFlows(rule, place.families));
  const step = Math.ceil(byRule.length / MAX_FLOWS);
  return [...byRule.filter((_, i) => i % step === 0), ...queries(spec), ...everywhere(spec, place)];
}

function ruleFlows(rule: EgressRule, families: readonly Family[]): Flow[] {
  const [port, ...edges] = rule.ports.flatMap(portEdges);
  const peers = rule.to.flatMap((to): Destination[] => {
    if (to.cidr !== undefined) return addresses([to.cidr.block, ...(to.cidr.except ?? [])]);
    if (to.domain !== undefined) return answers(to.domain, families);
    return to.workloads === undefined ? [] : podsNear(to.workloads);
  });
  const [peer = apiServer(API_SERVERS[0])] = peers;
  return [...peers.map((to) => ({ to, ...(port ?? NO_PORT) })), ...edges.map((edge) => ({ to: peer, ...edge }))];
}

type Edge = Pick<Flow, 'protocol' | 'port'>;
const NO_PORT: Edge = { protocol: 'TCP', port: 443 };

function portEdges({ protocol, port, endPort = port }: EgressPort): Edge[] {
  const other = protocol === 'TCP' ? 'UDP' : 'TCP';
  const edges: Edge[] = [port, port - 1, endPort, endPort + 1].map((each) => ({ protocol, port: each }));
  return [...edges, { protocol: other, port } as const, { protocol: 'SCTP', port } as const].filter(
    (edge) => edge.port >= 1 && edge.port <= 65535,
  );
}

function addresses(blocks: readonly string[]): Destination[] {
  return blocks.flatMap((text) => {
    const range = parseRange(text);
    const edges = [range.first, range.first - 1n, lastOf(range), lastOf(range) + 1n];
    return edges
      .filter((value) => value >= 0n && value < 1n << BigInt(bitsOf(range.family)))
      .map((value) => external(addressText(range.family, value)));
  });
}

/** The API server is not outside of the cluster, whatever its address. */
function external(address: string, names: readonly string[] = []): Destination {
  return API_SERVERS.includes(address) ? apiServer(address) : { kind: 'external', address, names };
}

function apiServer(address: string | undefined): Destination {
  return { kind: 'kube-apiserver', ...(address === undefined ? {} : { address }) };
}

function answers(domain: DomainDestination, families: readonly Family[]): Destination[] {
  return families.flatMap((family) => namesNear(domain).map((name) => external(ANSWERS[family], [name])));
}

function namesNear({ name, suffix }: DomainDestination): string[] {
  const apex = name ?? suffix ?? '';
  return [`x.${apex}`, apex, `y.x.${apex}`, `evil${apex}`, `evil-${apex}`, `${apex}.evil.test`];
}

function podsNear({ namespace, podLabels }: WorkloadsDestination): Destination[] {
  const pod = (labels: Readonly<Record<string, string>>, where = namespace): Destination => ({
    kind: 'pod',
    namespace: where,
    labels,
  });
  const entries = Object.entries(podLabels);
  const lessOne = entries.map((_, i) => Object.fromEntries(entries.filter((__, j) => j !== i)));
  const changed = entries.map(([key], i) => ({
    ...Object.fromEntries(entries.filter((_, j) => j !== i)),
    [key]: 'other',
  }));
  const more = { ...podLabels, beside: 'x' };
  return [pod(more), pod(podLabels), pod(more, 'elsewhere'), ...[...lessOne, ...changed].map((labels) => pod(labels))];
}

function queries(spec: EgressPolicySpec): Flow[] {
  const resolver: Destination = {
    kind: 'pod',
    namespace: RESOLVER.namespace,
    labels: { ...RESOLVER.podLabels, pod: 'x' },
  };
  const names = [
    'evil.test',
    'kubernetes.default.svc.cluster.local',
    ...domainsOf(spec).slice(0, 8).flatMap(namesNear),
  ];
  return names.map((query, i) => ({ to: resolver, protocol: i % 2 === 0 ? 'UDP' : 'TCP', port: 53, query }));
}

/** What is asked for by every policy, or by none. */
function everywhere(spec: EgressPolicySpec, { provider }: Ground): Flow[] {
  const [rule] = spec.allow;
  const ports: Edge[] = [rule?.ports[0] ?? NO_PORT, { protocol: 'TCP', port: 6443 }, { protocol: 'UDP', port: 53 }];
  const { 'k8s-app': app = '', ...rest } = RESOLVER.podLabels;
  const targets: Destination[] = [
    ...METADATA.map((address) => external(address)),
    ...Object.values(ANSWERS).map((address) => external(address)),
    ...API_SERVERS.map(apiServer),
    // Elsewhere it is known by its addresses only, and a cidr may match those of nodes as well: docs/egress.md says so.
    ...(provider === 'cilium' ? [{ kind: 'kube-apiserver', node: 'remote-node' } as const] : []),
    { kind: 'node', node: 'host' },
    { kind: 'node', node: 'remote-node' },
    { kind: 'pod', namespace: RESOLVER.namespace, labels: rest },
    { kind: 'pod', namespace: 'other', labels: { 'k8s-app': app, ...rest } },
  ];
  return targets.flatMap((to) => ports.map(({ protocol, port }) => ({ to, protocol, port })));
}
