/** One pod, and destinations to try from it: what the tables of these tests are about. */
import { decide } from '../decide.ts';
import { effectiveEgress } from '../evaluate.ts';
import type { Destination, Egress, Flow, Labels, PolicySet, Protocol, Subject, World } from '../types.ts';

export const SUBJECT: Subject = {
  namespace: 'team',
  labels: { app: 'agent', tier: 'back' },
  serviceAccountName: 'research',
};
export const CILIUM: World = {
  provider: 'cilium',
  version: '1.20.2',
  namespaces: { team: { env: 'test' }, tools: { env: 'prod' } },
};
export const PLAIN: World = { provider: 'networkpolicy', namespaces: CILIUM.namespaces ?? {} };

export function networkPolicy(spec: object, name = 'np'): object {
  return { metadata: { namespace: SUBJECT.namespace, name }, spec: { podSelector: {}, ...spec } };
}

export function ciliumPolicy(spec: object, name = 'cnp'): object {
  return { metadata: { namespace: SUBJECT.namespace, name }, spec: { endpointSelector: {}, ...spec } };
}

export function egressOf(
  world: World,
  networkPolicies: readonly object[],
  ciliumPolicies: readonly object[] = [],
): Egress {
  const policies: PolicySet = { networkPolicies, ciliumPolicies };
  return effectiveEgress(SUBJECT, policies, world);
}

export function outside(address: string, ...names: readonly string[]): Destination {
  return { kind: 'external', address, names };
}

export function pod(namespace: string, labels: Labels): Destination {
  const namespaceLabels = CILIUM.namespaces?.[namespace] ?? {};
  return { kind: 'pod', namespace, namespaceLabels, labels, serviceAccountName: 'default', namedPorts: { web: 8080 } };
}

export const TOOL = pod('tools', { app: 'tool' });
export const NEIGHBOUR = pod('team', { app: 'tool' });
export const RESOLVER = pod('kube-system', { 'k8s-app': 'kube-dns' });
export const API_SERVER: Destination = { kind: 'kube-apiserver', node: 'host' };

export function flow(to: Destination, port = 80, protocol: Protocol = 'TCP'): Flow {
  return { to, protocol, port };
}

export function query(name: string, to: Destination = RESOLVER): Flow {
  return { ...flow(to, 53, 'UDP'), query: name };
}

/** `yes`, `no`, or `unknown` when a policy may allow it in a way that cannot be computed. */
export function verdict(egress: Egress, tried: Flow): 'yes' | 'no' | 'unknown' {
  const { allowed, unknown } = decide(egress, tried);
  return allowed ? 'yes' : unknown === undefined ? 'no' : 'unknown';
}
