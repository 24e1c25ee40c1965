/** Flows at the boundaries of a policy: what is just inside and just outside of each thing it says. */
import type { DomainDestination, WorkloadsDestination } from '../../src/api/egress-destination.ts';
import type { EgressPolicySpec, EgressPort, EgressRule } from '../../src/api/egress-policy.ts';
import type { Destination, Flow } from '../../src/effective/types.ts';
import type { Ground } from './arbitrary-policy.ts';
import { API_SERVERS, RESOLVER } from './arbitrary-policy-facts.ts';
import { domainsOf } from './asked.ts';
import { addressText, bitsOf, covers, type Family, lastOf, parseRange } from './ip-range.ts';

/** Outside of every cluster, one per family: where a name resolves to. */
const ANSWERS: Readonly<Record<Family, string>> = { IPv4: '198.51.100.7', IPv6: '2001:db8:1::7' };
const METADATA = ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200'];
/** The evaluator reads each block for each flow: what a large policy is judged by is thinned out to so many readings. */
const MAX_READINGS = 300;
const MIN_FLOWS = 16;

/**
 * `salt` chooses which are left out where there are too many. There are no answers to queries in a family that the cluster does not
 * have.
 */
export function boundaryFlows(specs: readonly EgressPolicySpec[], place: Ground, salt: number): readonly Flow[] {
  const rules = specs.flatMap(({ allow }) => allow);
  const peers = rules.flatMap(({ to }) => to);
  const inside = clusterAddress(peers.flatMap(({ cidr }) => cidr?.block ?? []));
  // Elsewhere than on Cilium a cidr may match pods and nodes of such addresses as well: docs/egress.md says so.
  const telling = ({ to }: Flow) => place.provider === 'cilium' || inside !== undefined || !isInside(to);
  const all = [
    ...rules.flatMap((rule) => ruleFlows(rule, place.families)),
    ...queries(specs.flatMap(domainsOf)),
    ...everywhere(rules[0]?.ports[0], place),
  ]
    .filter(telling)
    .map((flow) =>
      isInside(flow.to) && inside !== undefined ? { ...flow, to: { ...flow.to, address: inside } } : flow,
    );
  const blocks = peers.reduce((sum, { cidr }) => sum + 1 + (cidr?.except?.length ?? 0), 0);
  const step = Math.ceil(all.length / Math.max(MIN_FLOWS, MAX_READINGS / Math.max(1, blocks)));
  return all.filter((_, i) => (i + salt) % step === 0);
}

function isInside(to: Destination): boolean {
  return to.kind === 'pod' || to.kind === 'node';
}

/** An address for pods and nodes that is in none of the blocks; undefined when they cover all of these. */
function clusterAddress(texts: readonly string[]): string | undefined {
  const blocks = texts.map(parseRange);
  return ['10.244.7.7', '100.64.7.7', '192.168.77.7', 'fdaa::7'].find((text) => {
    const point = parseRange(`${text}/${text.includes(':') ? 128 : 32}`);
    return !blocks.some((block) => covers(block, point));
  });
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
  const names = namesNear(domain);
  const rebound = METADATA.filter((address) => families.includes(address.includes(':') ? 'IPv6' : 'IPv4'));
  return [
    ...families.flatMap((family) => names.map((name) => external(ANSWERS[family], [name]))),
    ...rebound.map((address) => external(address, names.slice(0, 2))),
  ];
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

function queries(domains: readonly DomainDestination[]): Flow[] {
  const resolver: Destination = {
    kind: 'pod',
    namespace: RESOLVER.namespace,
    labels: { ...RESOLVER.podLabels, pod: 'x' },
  };
  const names = ['evil.test', 'kubernetes.default.svc.cluster.local', ...domains.slice(0, 8).flatMap(namesNear)];
  return names.map((query, i) => ({ to: resolver, protocol: i % 2 === 0 ? 'UDP' : 'TCP', port: 53, query }));
}

/** What is asked for by every policy, or by none. */
function everywhere(first: EgressPort | undefined, { provider }: Ground): Flow[] {
  const port = portEdges(first ?? { protocol: 'TCP', port: 443 })[0] ?? NO_PORT;
  const { 'k8s-app': app = '', ...rest } = RESOLVER.podLabels;
  const targets: Destination[] = [
    ...METADATA.map((address) => external(address)),
    ...Object.values(ANSWERS).map((address) => external(address)),
    ...API_SERVERS.map(apiServer),
    // Elsewhere it is known by its addresses only.
    ...(provider === 'cilium' ? [{ kind: 'kube-apiserver', node: 'remote-node' } as const] : []),
    { kind: 'node', node: 'host' },
    { kind: 'node', node: 'remote-node' },
    { kind: 'pod', namespace: RESOLVER.namespace, labels: rest },
    { kind: 'pod', namespace: 'other', labels: { 'k8s-app': app, ...rest } },
  ];
  const otherResolver: Flow = { to: external(ANSWERS.IPv4), protocol: 'UDP', port: 53, query: 'api.example.com' };
  return [otherResolver, ...targets.map((to) => ({ to, ...port }))];
}
