/** What is wrong with the form of a generated object: what an API server or an agent would read as more than is meant. */
import type { EgressPolicySpec } from '../../src/api/egress-policy.ts';
import type { DesiredObject } from '../../src/compile/names.ts';
import { API_SERVERS } from './arbitrary-policy-facts.ts';

type Item = Readonly<Record<string, unknown>>;

/** Compile rules: no empty list, no port that is none, no `*`, an explicit direction, nothing asked for means denied. */
export function looseEnds(spec: EgressPolicySpec, output: DesiredObject): readonly string[] {
  const text = JSON.stringify(output.spec);
  const everyName = text.includes('"matchPattern":"*"') && spec.dns.queries !== 'Any';
  return [
    ...(text.includes('[]') ? ['an empty list'] : []),
    ...(everyName ? ['every name'] : []),
    ...(/"port":"?(0*[^0-9"]|0*"?[,}])/.test(text) ? ['a port that is none'] : []),
    ...(output.kind === 'NetworkPolicy' ? openNetworkPolicy(output) : openCiliumPolicy(spec, output)),
  ];
}

function openNetworkPolicy({ spec }: DesiredObject): string[] {
  const open = items(spec.egress).filter(({ to, ports }) => items(to).length === 0 || items(ports).length === 0);
  const peers = items(spec.egress).flatMap(({ to }) => items(to));
  return [
    ...(JSON.stringify(spec.policyTypes) === '["Egress"]' ? [] : ['no policyTypes: [Egress]']),
    ...(open.length === 0 ? [] : ['a rule for every peer or every port']),
    ...(peers.every((peer) => Object.keys(peer).length > 0) ? [] : ['a peer that is every peer']),
  ];
}

function openCiliumPolicy({ allow }: EgressPolicySpec, { spec }: DesiredObject): string[] {
  const rules = items(spec.egress);
  const deniesAll = rules.length === 1 && Object.keys(rules[0] ?? {}).length === 0;
  const open = rules.some((rule) => items(rule.toPorts).length === 0 || Object.keys(rule).length !== 2);
  return [
    ...(JSON.stringify(spec.enableDefaultDeny) === '{"egress":true,"ingress":false}' ? [] : ['no default deny']),
    ...(rules.length === 0 || (open && !deniesAll) ? ['a rule for every peer or every port'] : []),
    ...(deniesAll && allow.length > 0 ? ['nothing, though something is asked for'] : []),
  ];
}

function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

/** Looser than any parser: four numbers, or something hexadecimal with two colons, alone or with a prefix. */
const ADDRESS = /^([0-9]+(\.[0-9]+){3}|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)(\/[0-9]+)?$/i;

/** Addresses and blocks of what the output opens that stand neither in the spec nor, for the API server, in the report. */
export function inventedAddresses(spec: EgressPolicySpec, output: DesiredObject): readonly string[] {
  const peers = spec.allow.flatMap((rule) => rule.to);
  const byAddress = output.kind === 'NetworkPolicy' && peers.some(({ kubeAPIServer }) => kubeAPIServer !== undefined);
  const given = new Set([
    ...peers.flatMap(({ cidr }) => (cidr === undefined ? [] : [cidr.block, ...(cidr.except ?? [])])),
    ...(byAddress ? API_SERVERS.map((address) => `${address}/${address.includes(':') ? 128 : 32}`) : []),
  ]);
  const { egressDeny: _, ...opening } = output.spec;
  return everyText(opening).filter((text) => ADDRESS.test(text) && !given.has(text));
}

function everyText(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...everyText(member)]);
}
