/**
 * What an EgressPolicy asks for, read from its spec alone as docs/egress.md says it: the oracle that compilation is judged by. It shares
 * nothing with the compiler.
 */
import type { DomainDestination } from '../../src/api/egress-destination.ts';
import type { EgressPolicySpec, EgressPort } from '../../src/api/egress-policy.ts';
import type { Destination, Flow } from '../../src/effective/types.ts';
import { bitsOf, covers, parseAddress, parseRange, type Range, rangeAround } from './ip-range.ts';

/** The pods of the cluster resolver: which namespace, and the labels they are known by. */
export interface Resolver {
  readonly namespace: string;
  readonly podLabels: Readonly<Record<string, string>>;
}

/** Where no name and no other rule may lead: loopback, link-local, and what clouds serve to whoever asks. */
export const NEVER = [
  ...['127.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '::1/128', 'fe80::/10'],
  ...[
    'fd00:ec2::/32',
    'fd20:ce::254/128',
    'fd00:c1::a9fe:a9fe/128',
    'fd00:42::42/128',
    '64:ff9b::a9fe:0/112',
    '2002::/16',
  ],
].map(parseRange);

type Asks = (to: Destination) => boolean;

/** Whether the policy asks for a flow, from a pod that it governs. */
export function asked(spec: EgressPolicySpec, resolver: Resolver): (flow: Flow) => boolean {
  const rules = spec.allow.map(({ to, ports }) => ({ ports, peers: to.map((peer) => asksFor(peer, spec)) }));
  return (flow) =>
    rules.some(({ ports, peers }) => listsPort(ports, flow) && peers.some((asks) => asks(flow.to))) ||
    asksToResolve(spec, resolver, flow);
}

function asksFor(peer: EgressPolicySpec['allow'][number]['to'][number], spec: EgressPolicySpec): Asks {
  const { cidr, domain, workloads } = peer;
  if (cidr !== undefined) {
    const block = parseRange(cidr.block);
    const holes = (cidr.except ?? []).map(parseRange);
    return (to) => {
      const point = isOutside(to) ? pointOf(to.address) : undefined;
      if (point === undefined || !spec.ipFamilies.includes(point.family)) return false;
      return covers(block, point) && !holes.some((hole) => covers(hole, point));
    };
  }
  if (domain !== undefined) {
    return (to) => {
      if (to.kind !== 'external' || !(to.names ?? []).some((name) => names(domain, name))) return false;
      const point = pointOf(to.address);
      if (point === undefined || NEVER.some((range) => covers(range, point))) return false;
      return spec.ipFamilies.includes(point.family);
    };
  }
  if (workloads !== undefined) {
    return (to) => to.kind === 'pod' && to.namespace === workloads.namespace && hasAll(to.labels, workloads.podLabels);
  }
  return (to) => to.kind === 'kube-apiserver';
}

/** An API server that runs on no node is an address like another. */
function isOutside(to: Destination): to is Destination & { readonly address?: string } {
  return to.kind === 'external' || (to.kind === 'kube-apiserver' && to.node === undefined);
}

function listsPort(ports: readonly EgressPort[], { protocol, port }: Flow): boolean {
  return ports.some((each) => each.protocol === protocol && each.port <= port && port <= (each.endPort ?? each.port));
}

/** DNS: the resolver's pods at port 53, and of the names those that may be asked for. */
function asksToResolve(spec: EgressPolicySpec, resolver: Resolver, { to, protocol, port, query }: Flow): boolean {
  if (spec.dns.access !== 'ClusterResolver' || port !== 53 || (protocol !== 'UDP' && protocol !== 'TCP')) return false;
  if (to.kind !== 'pod' || to.namespace !== resolver.namespace || !hasAll(to.labels, resolver.podLabels)) return false;
  if (spec.dns.queries === 'Any') return true;
  return query !== undefined && domainsOf(spec).some((domain) => names(domain, query));
}

export function domainsOf(spec: EgressPolicySpec): readonly DomainDestination[] {
  return spec.allow.flatMap((rule) => rule.to.flatMap(({ domain }) => (domain === undefined ? [] : [domain])));
}

function names({ name, suffix, depth }: DomainDestination, text: string): boolean {
  if (name !== undefined) return text === name;
  if (suffix === undefined || !text.endsWith(`.${suffix}`)) return false;
  const before = text.slice(0, -suffix.length - 1);
  return before !== '' && (depth === 'AnyDepth' || !before.includes('.'));
}

function pointOf(address: string | undefined): Range | undefined {
  const parsed = address === undefined ? undefined : parseAddress(address);
  return parsed && rangeAround(parsed.family, parsed.value, bitsOf(parsed.family));
}

function hasAll(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
