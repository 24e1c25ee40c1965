/**
 * The same definitions once more, as plainly as they can be written, for policies and flows of the universe only: one flow, one rule
 * after the other, no sets. What it shares with the judge is the reading of the upstream text, not a line of code.
 */
import type { Flow, Labels } from '../types.ts';
import type { Policies } from './universe.ts';

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Expression[];
}

interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

interface Port {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

interface Name {
  readonly matchName?: string;
  readonly matchPattern?: string;
}

interface KubernetesPeer {
  readonly ipBlock?: Block;
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}

interface CiliumRule {
  readonly toEndpoints?: readonly Selector[];
  readonly toCIDRSet?: readonly Block[];
  readonly toEntities?: readonly string[];
  readonly toFQDNs?: readonly Name[];
  readonly toPorts?: readonly { readonly ports: readonly Port[]; readonly rules?: { readonly dns: readonly Name[] } }[];
}

interface Spec {
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly endpointSelector?: Selector;
  readonly enableDefaultDeny?: { readonly egress?: boolean };
  readonly egress?: readonly object[];
  readonly egressDeny?: readonly object[];
}

/** One thing that a policy says about the flow. */
interface Vote {
  readonly exactPort: boolean;
  /** Whether a filter of DNS queries lets it through; undefined where there is none. */
  readonly filter?: boolean;
}

export function naiveAllows(policies: Policies, subject: Labels, flow: Flow): boolean {
  const specs = (list: readonly object[]) => list.map((policy) => (policy as { spec: Spec }).spec);
  const kubernetes = specs(policies.networkPolicies).filter(
    ({ podSelector = {}, policyTypes = [], egress = [] }) =>
      selects(podSelector, subject) && (policyTypes.includes('Egress') || egress.length > 0),
  );
  const cilium = specs(policies.ciliumPolicies).filter(
    ({ endpointSelector = {}, egress = [], egressDeny = [] }) =>
      selects(endpointSelector, subject) && egress.length + egressDeny.length > 0,
  );
  const rules = (field: 'egress' | 'egressDeny') => cilium.flatMap((spec) => (spec[field] ?? []) as CiliumRule[]);
  if (rules('egressDeny').some((rule) => ciliumVotes(rule, flow).length > 0)) return false;
  if (kubernetes.length === 0 && cilium.every(({ enableDefaultDeny }) => enableDefaultDeny?.egress === false))
    return true;
  const votes = [
    ...kubernetes.flatMap((spec) => (spec.egress ?? []).flatMap((rule) => kubernetesVotes(rule, flow))),
    ...rules('egress').flatMap((rule) => ciliumVotes(rule, flow)),
  ];
  const filtered = votes.some(({ filter }) => filter !== undefined);
  return votes.some(({ filter, exactPort }) => filter ?? (!filtered || exactPort));
}

function kubernetesVotes(
  rule: { to?: readonly KubernetesPeer[]; ports?: readonly Port[] },
  flow: Flow,
): readonly Vote[] {
  const { to = [], ports = [] } = rule;
  const there = to.length === 0 || to.some((peer) => isKubernetesPeer(peer, flow));
  if (!there) return [];
  if (ports.length === 0) return [{ exactPort: false }];
  return ports
    .filter((port) => isPort({ protocol: 'TCP', ...port }, flow))
    .map((port) => ({ exactPort: isExact(port) }));
}

function isKubernetesPeer({ ipBlock, podSelector, namespaceSelector }: KubernetesPeer, { to }: Flow): boolean {
  if (ipBlock !== undefined) return isInBlock(ipBlock, to);
  if (to.kind !== 'pod') return false;
  const namespaceLabels = { ...to.namespaceLabels, 'kubernetes.io/metadata.name': to.namespace };
  const there = namespaceSelector === undefined ? to.namespace === 'team' : selects(namespaceSelector, namespaceLabels);
  return there && selects(podSelector ?? {}, to.labels);
}

function ciliumVotes(rule: CiliumRule, flow: Flow): readonly Vote[] {
  const { toEndpoints, toCIDRSet, toEntities, toFQDNs, toPorts = [] } = rule;
  const lists = [toEndpoints, toCIDRSet, toEntities, toFQDNs].filter((list) => list !== undefined);
  if (lists.length === 0 && toPorts.length === 0) return [];
  const there =
    lists.length === 0 ||
    (toEndpoints ?? []).some((selector) => isEndpoint(selector, flow)) ||
    (toCIDRSet ?? []).some((block) => isInBlock(block, flow.to)) ||
    (toEntities ?? []).some((entity) => isEntity(entity, flow)) ||
    (toFQDNs ?? []).some(
      (name) => flow.to.kind === 'external' && (flow.to.names ?? []).some((known) => isName(name, known)),
    );
  if (!there) return [];
  if (toPorts.length === 0) return [{ exactPort: false }];
  return toPorts.flatMap(({ ports, rules }) =>
    ports
      .filter((port) => isPort(port, flow))
      .map((port) => ({
        exactPort: isExact(port),
        ...(rules && { filter: rules.dns.some((name) => flow.query !== undefined && isName(name, flow.query)) }),
      })),
  );
}

const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';

function isEndpoint(selector: Selector, { to }: Flow): boolean {
  if (to.kind !== 'pod') return false;
  const keys = (selector.matchExpressions ?? []).map(({ key }) => key);
  const own = !keys.includes(NAMESPACE) && !keys.some((key) => key.startsWith('io.cilium.k8s.namespace.labels.'));
  if (own && to.namespace !== 'team') return false;
  const ofNamespace = Object.entries(to.namespaceLabels ?? {}).map(([key, value]) => [
    `io.cilium.k8s.namespace.labels.${key}`,
    value,
  ]);
  return selects(selector, { ...to.labels, ...Object.fromEntries(ofNamespace), [NAMESPACE]: to.namespace });
}

function isEntity(entity: string, { to }: Flow): boolean {
  if (entity === 'all') return true;
  if (entity === 'world') return to.kind === 'external';
  if (entity === 'cluster') return to.kind !== 'external';
  if (to.kind === 'node') return to.node === entity;
  return to.kind === 'kube-apiserver' && (entity === 'kube-apiserver' || to.node === entity);
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key.replace(/^(k8s|any):/, '')] === value);
  return equal && matchExpressions.every((expression) => holds(expression, labels[expression.key]));
}

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const listed = value !== undefined && values.includes(value);
  return operator === 'In' ? listed : !listed;
}

function isInBlock({ cidr, except = [] }: Block, to: Flow['to']): boolean {
  if (to.kind !== 'external') return false;
  return isIn(cidr, to.address) && !except.some((hole) => isIn(hole, to.address));
}

/** IPv4 bit by bit; of IPv6 there is one block, which is all of it. */
function isIn(cidr: string, address: string): boolean {
  if (address.includes(':') || cidr.includes(':')) return address.includes(':') && cidr.includes(':');
  const [base = '', length] = cidr.split('/');
  return bits(address).startsWith(bits(base).slice(0, Number(length)));
}

function bits(address: string): string {
  return address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('');
}

function isPort({ protocol = 'ANY', port, endPort }: Port, flow: Flow): boolean {
  if (protocol === 'ANY' ? !['TCP', 'UDP', 'SCTP'].includes(flow.protocol) : protocol !== flow.protocol) return false;
  if (port === undefined) return true;
  if (port === 'web') return flow.to.kind === 'pod' && flow.port === 81;
  return flow.port >= Number(port) && flow.port <= (endPort ?? Number(port));
}

function isExact({ port, endPort }: Port): boolean {
  return port !== undefined && port !== 'web' && endPort === undefined;
}

const DNS_LABEL = '[a-z0-9-]';

function isName({ matchName, matchPattern = '' }: Name, name: string): boolean {
  if (matchName !== undefined) return matchName === name;
  if (matchPattern === '*') return true;
  const rest = matchPattern
    .replace(/^\*\*\./, '')
    .replaceAll('.', '[.]')
    .replaceAll('*', `${DNS_LABEL}*`);
  const start = matchPattern.startsWith('**.') ? `(${DNS_LABEL}+[.])+` : '';
  return new RegExp(`^${start}${rest}$`).test(name);
}
