/** Arbitrary policies about the destinations that the pods of these tests try, and about little else. */
import fc from 'fast-check';

/** A policy without its name and its pod. */
export interface Draft {
  readonly kind: 'NetworkPolicy' | 'CiliumNetworkPolicy';
  /** How it selects the pod; `none` looks much like the others, and selects nothing. */
  readonly selects: 'label' | 'expression' | 'account' | 'none';
  readonly spec: object;
  /** Cilium's agents do not take it, so there is nothing to wait for. */
  readonly refused?: boolean;
}

/** The address in the network of the targets with this last number; theirs are 201 and following. */
export type AddressOf = (last: number) => string;
type Spec = fc.Arbitrary<object>;

/** Labels of the namespace that holds the pods of other teams. */
export const TOOLS_LABELS = { purpose: 'tools' };

const some = (item: Spec, maxLength = 2) => fc.array(item, { minLength: 1, maxLength });

/** Blocks with and without exceptions: one target, all of them, everything but some. */
function blocks(addressOf: AddressOf): fc.Arbitrary<{ readonly cidr: string; readonly except?: readonly string[] }> {
  const one = (last: number) => `${addressOf(last)}/32`;
  const range = `${addressOf(200)}/29`;
  return fc.constantFrom(
    { cidr: one(201) },
    { cidr: one(208) },
    { cidr: `${addressOf(202)}/31` },
    { cidr: range },
    { cidr: range, except: [one(201)] },
    { cidr: range, except: [`${addressOf(200)}/30`] },
    { cidr: `${addressOf(0)}/24`, except: [one(206), one(208)] },
    { cidr: '0.0.0.0/0', except: [range] },
    { cidr: '0.0.0.0/0' },
    { cidr: '10.244.0.0/16' },
  );
}

const PORTS = [
  { port: 80 },
  { port: 8003 },
  { port: 8000, endPort: 8005 },
  { port: 8080 },
  { port: 6443 },
  { port: 1, endPort: 1023 },
];

const POD_SELECTORS = [
  {},
  { matchLabels: { app: 'web' } },
  { matchLabels: { app: 'tool' } },
  { matchExpressions: [{ key: 'tier', operator: 'In', values: ['back', 'middle'] }] },
  {
    matchExpressions: [
      { key: 'app', operator: 'Exists' },
      { key: 'tier', operator: 'NotIn', values: ['front'] },
    ],
  },
] as const;

const NAMESPACE_SELECTORS = [
  {},
  { matchLabels: TOOLS_LABELS },
  { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }] },
  { matchExpressions: [{ key: 'purpose', operator: 'DoesNotExist' }] },
] as const;

export function kubernetesDraft(addressOf: AddressOf): fc.Arbitrary<Draft> {
  const podSelector = fc.constantFrom(...POD_SELECTORS);
  const namespaceSelector = fc.constantFrom(...NAMESPACE_SELECTORS);
  const peer: Spec = fc.oneof(
    fc.record({ ipBlock: blocks(addressOf) }),
    fc.record({ ipBlock: blocks(addressOf) }),
    fc.record({ podSelector }),
    fc.record({ namespaceSelector }),
    fc.record({ namespaceSelector, podSelector }),
  );
  const port: Spec = fc.constantFrom(...PORTS, { protocol: 'TCP' }, { port: 53, protocol: 'UDP' });
  const rule: Spec = fc.record({ to: some(peer), ports: some(port) }, { requiredKeys: ['to'] });
  const spec: Spec = fc.record({
    policyTypes: fc.constantFrom(['Egress'], ['Ingress', 'Egress']),
    egress: some(rule, 3),
  });
  const selects = fc.constantFrom('label', 'label', 'label', 'expression', 'expression', 'none');
  return fc.record({ kind: fc.constant('NetworkPolicy'), selects, spec });
}

const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';

const ENDPOINTS = [
  {},
  { matchLabels: { 'k8s:app': 'web' } },
  { matchLabels: { 'any:app': 'tool' } },
  { matchLabels: { 'k8s:io.cilium.k8s.namespace.labels.purpose': TOOLS_LABELS.purpose } },
  { matchLabels: { tier: 'back' }, matchExpressions: [{ key: NAMESPACE, operator: 'Exists' }] },
  {
    matchExpressions: [
      { key: NAMESPACE, operator: 'Exists' },
      { key: NAMESPACE, operator: 'NotIn', values: ['kube-system'] },
    ],
  },
] as const;

const NAMES = [
  { matchName: 'api.example.test' },
  { matchPattern: '*.example.test' },
  { matchPattern: '*.cdn.example.test' },
  { matchPattern: '**.cdn.example.test' },
  { matchPattern: 'e*l.example.test' },
] as const;

const ENTITIES = ['all', 'world', 'cluster', 'host', 'remote-node', 'kube-apiserver', 'none'] as const;

export function ciliumDraft(addressOf: AddressOf): fc.Arbitrary<Draft> {
  const { allowed, denied } = ciliumRules(addressOf);
  const enableDefaultDeny = fc.constantFrom({}, {}, { egress: true }, { egress: false });
  const spec: Spec = fc.oneof(
    { weight: 3, arbitrary: fc.record({ egress: some(allowed, 3), enableDefaultDeny }) },
    { weight: 2, arbitrary: fc.record({ egress: some(allowed, 3), egressDeny: some(denied), enableDefaultDeny }) },
    { weight: 1, arbitrary: fc.record({ egressDeny: some(denied), enableDefaultDeny }) },
  );
  const selects = fc.constantFrom('label', 'label', 'account', 'account', 'account', 'expression', 'none');
  return fc.record({ kind: fc.constant('CiliumNetworkPolicy'), selects, spec });
}

function ciliumRules(addressOf: AddressOf): { readonly allowed: Spec; readonly denied: Spec } {
  const port = fc.constantFrom(...PORTS).map((range) => ({ ...range, port: String(range.port), protocol: 'TCP' }));
  const toPorts = some(port).map((ports) => [{ ports }]);
  const withPorts = (destination: Record<string, Spec>): Spec =>
    fc
      .tuple(fc.record(destination), fc.option(toPorts, { nil: undefined }))
      .map(([peer, list]) => ({ ...peer, ...(list && { toPorts: list }) }));
  const toCIDRSet = some(blocks(addressOf));
  const toEndpoints = fc.array(fc.constantFrom(...ENDPOINTS), { minLength: 1, maxLength: 2 });
  const toEntities = fc.subarray([...ENTITIES], { minLength: 1, maxLength: 2 });
  const plain = [withPorts({ toCIDRSet }), withPorts({ toEndpoints }), withPorts({ toEntities })];
  const names = fc.subarray([...NAMES], { minLength: 1, maxLength: 2 });
  // Never the lone `*`: it takes every address of the node out of the other pods' rules (UKGovernmentBEIS/inspect_k8s_sandbox#260).
  const toFQDNs = withPorts({ toFQDNs: names });
  return { allowed: fc.oneof(...plain, toFQDNs, toFQDNs, dnsRule(names)), denied: fc.oneof(...plain) };
}

/** Queries to the cluster's resolver: filtered, not filtered, or among all of its ports. To the other one: filtered. */
function dnsRule(names: fc.Arbitrary<readonly object[]>): Spec {
  const toEndpoints = [{ matchLabels: { [NAMESPACE]: 'kube-system', 'k8s:k8s-app': 'kube-dns' } }];
  const ports = [
    { port: '53', protocol: 'UDP' },
    { port: '53', protocol: 'TCP' },
  ];
  return fc.oneof(
    { weight: 3, arbitrary: names.map((dns) => ({ toEndpoints, toPorts: [{ ports, rules: { dns } }] })) },
    { weight: 1, arbitrary: names.map((dns) => ({ toEntities: ['world'], toPorts: [{ ports, rules: { dns } }] })) },
    { weight: 1, arbitrary: fc.constantFrom({ toEndpoints, toPorts: [{ ports }] }, { toEndpoints }) },
  );
}
