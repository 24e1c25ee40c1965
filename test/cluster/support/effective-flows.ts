/** What each pod tries, once as packets and once as the judge knows it. */
import type { TargetName, TargetPlan } from '../../../scripts/clusters/target-plan.ts';
import type { Destination, Flow } from '../../../src/effective/types.ts';
import type { Attempt } from './effective-attempts.ts';

export interface Trial {
  /** For messages: `api:80`, `resolver?api.example.test`. */
  readonly title: string;
  readonly attempt: Attempt;
  readonly flow: Flow;
}

/** A pod to send packets to. */
export interface PodTarget {
  readonly title: string;
  readonly address: string;
  readonly ports: readonly number[];
  readonly pod: Extract<Destination, { kind: 'pod' }>;
}

export interface Places {
  readonly targets: TargetPlan;
  readonly pods: readonly PodTarget[];
  /** Address of the only node, which runs the API server. */
  readonly node: string;
  /** The Service of the cluster's resolver, and a pod behind it. */
  readonly resolver: { readonly address: string; readonly pod: Extract<Destination, { kind: 'pod' }> };
}

const OUTSIDE: readonly (readonly [TargetName, readonly number[]])[] = [
  ['api', [80, 8000, 8003, 8006]],
  ['a.cdn', [80, 8003]],
  ['a.b.cdn', [80]],
  ['cdn', [80]],
  ['second', [80, 8005]],
  ['evil', [80, 8003]],
  ['unnamed', [80]],
];

export const NAMES = ['api', 'a.cdn', 'a.b.cdn', 'cdn', 'second', 'evil'].map((name) => `${name}.example.test`);

/** Ports on which the node answers: the API server and the kubelet. */
const NODE_PORTS = [6443, 10_250];

export function trialsOf(places: Places): readonly Trial[] {
  const { targets, pods, node, resolver } = places;
  const apiServer: Destination = { kind: 'kube-apiserver', node: 'host', address: node };
  const other = targets.addresses.resolver;
  return [
    ...OUTSIDE.flatMap(([name, ports]) => http(name, outside(targets, name), targets.addresses[name], ports)),
    ...pods.flatMap(({ title, pod, address, ports }) => http(title, pod, address, ports)),
    ...http('node', apiServer, node, NODE_PORTS),
    ...NAMES.map((name) => dns('cluster', resolver.pod, resolver.address, name)),
    ...NAMES.slice(0, 1).map((name) => dns('other', { kind: 'external', address: other, names: [] }, other, name)),
  ];
}

/** With the names that lead there: whoever looked them up, all pods of a node profit. */
function outside({ addresses, records }: TargetPlan, name: TargetName): Destination {
  const address = addresses[name];
  const names = Object.entries(records).filter(([, to]) => to === address);
  return { kind: 'external', address, names: names.map(([host]) => host) };
}

function http(title: string, to: Destination, address: string, ports: readonly number[]): readonly Trial[] {
  return ports.map((port) => ({
    title: `${title}:${port}`,
    attempt: { kind: 'http', address, port },
    flow: { to, protocol: 'TCP', port },
  }));
}

function dns(title: string, to: Destination, server: string, name: string): Trial {
  return {
    title: `${title}?${name}`,
    attempt: { kind: 'dns', server, name },
    flow: { to, protocol: 'UDP', port: 53, query: name },
  };
}
