/** A world small enough to try every flow in it, and policies that are about nothing else. */
import fc from 'fast-check';
import type { Destination, Flow, Labels, World } from '../types.ts';
import { ciliumPolicy, networkPolicy } from './scene.ts';

const NAMES = ['api.x.test', 'a.api.x.test', 'evil.test'] as const;
const NAMESPACES: Readonly<Record<string, Labels>> = { team: { env: 'a' }, tools: { env: 'b' }, other: {} };
const LABELS: readonly Labels[] = [{}, { app: 'a' }, { app: 'b', tier: 'x' }, { tier: 'x' }];

export const UNIVERSE: World = { provider: 'cilium', version: '1.20.2', namespaces: NAMESPACES };

/** Four neighbouring addresses with a name or none, one far away, one of the other family. */
const OUTSIDE: readonly Destination[] = [
  { kind: 'external', address: '10.0.0.0', names: [NAMES[0]] },
  { kind: 'external', address: '10.0.0.1', names: [NAMES[1]] },
  { kind: 'external', address: '10.0.0.2', names: [] },
  { kind: 'external', address: '10.0.0.3', names: [NAMES[2]] },
  { kind: 'external', address: '192.0.2.1', names: [NAMES[0]] },
  { kind: 'external', address: '2001:db8::1', names: [] },
];

const PODS: readonly Destination[] = Object.entries(NAMESPACES).flatMap(([namespace, namespaceLabels]) =>
  LABELS.map(
    (labels): Destination => ({
      kind: 'pod',
      namespace,
      namespaceLabels,
      labels,
      serviceAccountName: 'default',
      namedPorts: { web: 81 },
    }),
  ),
);

const NODES: readonly Destination[] = [
  { kind: 'node', node: 'host' },
  { kind: 'node', node: 'remote-node' },
  { kind: 'kube-apiserver', node: 'host' },
];

const DESTINATIONS = [...OUTSIDE, ...PODS, ...NODES];

export const FLOWS: readonly Flow[] = DESTINATIONS.flatMap((to): readonly Flow[] => [
  ...[79, 80, 81, 82].map((port): Flow => ({ to, protocol: 'TCP', port })),
  { to, protocol: 'UDP', port: 80 },
  { to, protocol: 'ICMP', port: 8 },
  ...NAMES.map((query): Flow => ({ to, protocol: 'UDP', port: 53, query })),
]);

const requirement = (key: string, values: readonly string[]) =>
  fc.oneof(
    fc.record({
      key: fc.constant(key),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.subarray([...values], { minLength: 1 }),
    }),
    fc.record({ key: fc.constant(key), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );

const podRequirement = fc.oneof(requirement('app', ['a', 'b']), requirement('tier', ['x', 'y']));
const selector = (one: fc.Arbitrary<object>) =>
  fc.array(one, { maxLength: 2 }).map((matchExpressions) => ({ matchExpressions }));
const namespaceSelector = selector(
  fc.oneof(requirement('env', ['a', 'b']), requirement('kubernetes.io/metadata.name', ['team', 'tools'])),
);

const block = fc.constantFrom(
  { cidr: '10.0.0.0/30' },
  { cidr: '10.0.0.0/30', except: ['10.0.0.1/32'] },
  { cidr: '10.0.0.0/30', except: ['10.0.0.0/31'] },
  { cidr: '10.0.0.0/31' },
  { cidr: '10.0.0.2/31' },
  { cidr: '0.0.0.0/0', except: ['10.0.0.0/30'] },
  { cidr: '0.0.0.0/0' },
  { cidr: '::/0' },
);

const numbers = fc.constantFrom<{ port: number; endPort?: number }>(
  { port: 80 },
  { port: 81 },
  { port: 80, endPort: 81 },
  { port: 79, endPort: 80 },
  { port: 53 },
);

const kubernetesPort = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('TCP', 'UDP'), numbers).map(([protocol, range]) => ({ protocol, ...range })),
  },
  { weight: 1, arbitrary: fc.constantFrom({ port: 'web' }, { protocol: 'TCP' }, { protocol: 'UDP' }) },
);

const kubernetesPeer = fc.oneof(
  fc.record({ ipBlock: block }),
  fc.record({ podSelector: selector(podRequirement) }),
  fc.record({ namespaceSelector }),
  fc.record({ namespaceSelector, podSelector: selector(podRequirement) }),
);

export const someNetworkPolicy = fc
  .record(
    {
      podSelector: fc.constantFrom({}, { matchLabels: { app: 'agent' } }, { matchLabels: { app: 'none' } }),
      policyTypes: fc.constantFrom(['Egress'], ['Ingress', 'Egress'], ['Ingress'], []),
      egress: fc.array(
        fc.record({
          to: fc.array(kubernetesPeer, { maxLength: 2 }),
          ports: fc.array(kubernetesPort, { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['podSelector'] },
  )
  .map((spec) => networkPolicy(spec));

const ciliumRequirement = fc.oneof(
  podRequirement,
  requirement('k8s:io.kubernetes.pod.namespace', ['team', 'tools']),
  requirement('io.cilium.k8s.namespace.labels.env', ['a', 'b']),
);

const names = fc.constantFrom(
  { matchName: 'api.x.test' },
  { matchPattern: '*.x.test' },
  { matchPattern: '**.x.test' },
  { matchPattern: '*' },
  { matchPattern: 'e*l.test' },
);

const ciliumPeer = fc.oneof(
  fc.record({ toEndpoints: fc.array(selector(ciliumRequirement), { maxLength: 2 }) }),
  fc.record({ toCIDRSet: fc.array(block, { maxLength: 2 }) }),
  fc.record({
    toEntities: fc.subarray(['all', 'world', 'cluster', 'host', 'remote-node', 'kube-apiserver'], { maxLength: 2 }),
  }),
  fc.constant({}),
);

const ciliumPort = fc
  .tuple(numbers, fc.constantFrom({ protocol: 'TCP' }, { protocol: 'UDP' }, { protocol: 'ANY' }, {}))
  .map(([{ port, endPort }, protocol]) => ({
    port: String(port),
    ...(endPort === undefined ? {} : { endPort }),
    ...protocol,
  }));

const toPorts = fc.array(
  fc.record({
    ports: fc.array(fc.oneof(ciliumPort, fc.constant({ port: 'web', protocol: 'TCP' })), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  { maxLength: 2 },
);

const rule = fc
  .tuple(ciliumPeer, toPorts)
  .map(([peer, list]) => ({ ...peer, ...(list.length > 0 ? { toPorts: list } : {}) }));

const namesRule = fc
  .tuple(fc.array(names, { minLength: 1, maxLength: 2 }), toPorts)
  .map(([toFQDNs, list]) => ({ toFQDNs, toPorts: list }));

/** Filters of DNS queries, at destinations that have no other filter beside it. */
const dnsRule = fc.record({
  toEndpoints: fc.array(selector(podRequirement), { minLength: 1, maxLength: 1 }),
  toPorts: fc
    .array(names, { minLength: 1, maxLength: 2 })
    .map((dns) => [{ ports: [{ port: '53', protocol: 'UDP' }], rules: { dns } }]),
});

const endpointSelector = fc.constantFrom(
  {},
  { matchLabels: { 'k8s:app': 'agent' } },
  { matchLabels: { 'any:app': 'none' } },
);

const ciliumSpec = (allowed: fc.Arbitrary<object>, denied: fc.Arbitrary<object>) =>
  fc
    .record(
      {
        endpointSelector,
        egress: fc.array(allowed, { minLength: 1, maxLength: 2 }),
        egressDeny: fc.array(denied, { minLength: 1, maxLength: 1 }),
        enableDefaultDeny: fc.constantFrom({ egress: false }, { egress: true }, {}),
      },
      { requiredKeys: ['endpointSelector'] },
    )
    .map((spec) => ciliumPolicy(spec));

export const someCiliumPolicy = ciliumSpec(
  fc.oneof({ weight: 3, arbitrary: rule }, { weight: 1, arbitrary: namesRule }, { weight: 1, arbitrary: dnsRule }),
  rule,
);

/** A policy that only adds: no denial, no filter of names. */
export const addingCiliumPolicy = ciliumSpec(fc.oneof(rule, namesRule), rule).map((policy) => {
  const { egressDeny: _none, ...spec } = (policy as { spec: Record<string, unknown> }).spec;
  return { ...policy, spec };
});

export interface Policies {
  readonly networkPolicies: readonly object[];
  readonly ciliumPolicies: readonly object[];
}

export const somePolicies: fc.Arbitrary<Policies> = fc.record({
  networkPolicies: fc.array(someNetworkPolicy, { maxLength: 2 }),
  ciliumPolicies: fc.array(someCiliumPolicy, { maxLength: 2 }),
});
