import { describe, expect, it } from 'vitest';
import { assess, type Seen } from './capabilities.ts';

const agent = {
  name: 'cilium',
  desired: 3,
  ready: 3,
  upToDate: true,
  flags: {},
  imageTags: { 'cilium-agent': 'v1.20.2' },
};
const healthy: Seen = {
  daemonSets: [agent],
  configMaps: { 'cilium-config': { 'enable-l7-proxy': 'true', 'enable-ipv6': 'false' } },
  apis: ['cilium'],
  pin: 'auto',
  apiServerAddresses: [],
};

function state(seen: Partial<Seen>, capability: string): string {
  const found = assess({ ...healthy, ...seen }).capabilities.find((item) => item.name === capability);
  return `${found?.state}/${found?.reason}`;
}

const config = (data: Record<string, string>): Partial<Seen> => ({ configMaps: { 'cilium-config': data } });

describe('Cilium', () => {
  it('declares what it can do, with its version', () => {
    expect(assess(healthy)).toMatchObject({ provider: 'cilium', version: '1.20.2', agents: { desired: 3, ready: 3 } });
    expect(state({}, 'domain.anyDepth')).toBe('Supported/Declared');
    expect(state({}, 'family.ipv4Only')).toBe('Supported/Declared');
  });

  it.each([
    ['left-over CRDs without agents', { daemonSets: [] }, 'cidr', 'Unsupported/NoEnforcingProvider'],
    ['a look-alike API', { apis: [] }, 'cidr', 'Unsupported/PolicyAPIMissing'],
    ['agents not ready', { daemonSets: [{ ...agent, ready: 2 }] }, 'cidr', 'Unknown/AgentsNotReady'],
    ['no node to run on', { daemonSets: [{ ...agent, desired: 0, ready: 0 }] }, 'cidr', 'Unknown/AgentsNotReady'],
    ['a roll-out not yet seen', { daemonSets: [{ ...agent, upToDate: false }] }, 'cidr', 'Unknown/AgentsNotReady'],
    ['no configuration to read', { configMaps: {} }, 'cidr', 'Unknown/ConfigNotReadable'],
    [
      'a version that cannot be told',
      { daemonSets: [{ ...agent, imageTags: { 'cilium-agent': 'latest' } }] },
      'cidr',
      'Unknown/VersionUnknown',
    ],
    [
      'a version that is too old',
      { daemonSets: [{ ...agent, imageTags: { 'cilium-agent': 'v1.15.9' } }] },
      'cidr',
      'Unsupported/ProviderTooOld',
    ],
    [
      'an agent before any-depth wildcards',
      { daemonSets: [{ ...agent, imageTags: { 'cilium-agent': 'v1.18.8' } }] },
      'domain.anyDepth',
      'Unsupported/ProviderTooOld',
    ],
    ['no L7 proxy', config({ 'enable-l7-proxy': 'false' }), 'domain.exact', 'Unsupported/L7ProxyDisabled'],
    ['no L7 proxy', config({ 'enable-l7-proxy': 'false' }), 'dns.filter', 'Unsupported/L7ProxyDisabled'],
    ['CNI chaining', config({ 'cni-chaining-mode': 'aws-cni' }), 'domain.exact', 'Unsupported/CNIChaining'],
    ['enforcement off', config({ 'enable-policy': 'never' }), 'cidr', 'Unsupported/PolicyEnforcementNever'],
    ['audit mode', config({ 'policy-audit-mode': 'true' }), 'cidr', 'Unsupported/PolicyAuditMode'],
    [
      'the floor not enforced',
      config({ 'enable-k8s-networkpolicy': 'false' }),
      'cidr',
      'Unsupported/NetworkPolicyDisabled',
    ],
    ['a label filter', config({ labels: 'k8s:app' }), 'cidr', 'Unsupported/IdentityLabelFilter'],
    [
      'a file of label filters',
      config({ 'label-prefix-file': '/etc/labels' }),
      'cidr',
      'Unsupported/IdentityLabelFilter',
    ],
    [
      'default deny for both directions',
      config({ 'enable-non-default-deny-policies': 'false' }),
      'cidr',
      'Unsupported/DefaultDenyNotSelectable',
    ],
    [
      'rules that span clusters',
      config({ 'policy-default-local-cluster': 'false' }),
      'workloads',
      'Unsupported/RulesSpanClusters',
    ],
    ['CIDRs that match nodes', config({ 'policy-cidr-match-mode': 'nodes' }), 'cidr', 'Unsupported/CIDRMatchesNodes'],
    ['IPv6 on', config({ 'enable-ipv6': 'true' }), 'family.ipv4Only', 'Unsupported/IPv6Enabled'],
    [
      'node-local DNS',
      { daemonSets: [agent, { ...agent, name: 'node-local-dns' }] },
      'domain.exact',
      'Unsupported/NodeLocalDNS',
    ],
    ['a pin to what does not run', { pin: 'k8s-networkpolicy' as const }, 'cidr', 'Unsupported/NoEnforcingProvider'],
    [
      'a second provider',
      { daemonSets: [agent, { ...agent, name: 'calico-node' }] },
      'cidr',
      'Unsupported/AmbiguousProvider',
    ],
  ])('%s', (_, seen, capability, expected) => {
    expect(state(seen, capability)).toBe(expected);
  });

  it('without the L7 proxy still does CIDR', () => {
    expect(state(config({ 'enable-l7-proxy': 'false' }), 'cidr')).toBe('Supported/Declared');
  });

  it('before 1.19 still does one-label wildcards', () => {
    expect(state({ daemonSets: [{ ...agent, imageTags: { 'cilium-agent': 'v1.18.8' } }] }, 'domain.oneLabel')).toBe(
      'Supported/Declared',
    );
  });

  it('a pin resolves an ambiguity, and is still checked', () => {
    const both = [agent, { ...agent, name: 'calico-node' }];
    expect(assess({ ...healthy, daemonSets: both, pin: 'cilium' }).provider).toBe('cilium');
    expect(state({ daemonSets: both, pin: 'cilium', ...config({ 'enable-policy': 'never' }) }, 'cidr')).toBe(
      'Unsupported/PolicyEnforcementNever',
    );
  });
});

describe('other providers', () => {
  it('plain NetworkPolicy has no domains, and knows the API server only by listed addresses', () => {
    const seen: Partial<Seen> = { daemonSets: [{ ...agent, name: 'kube-router', imageTags: {} }] };
    expect(state(seen, 'cidr')).toBe('Supported/Declared');
    expect(state(seen, 'domain.exact')).toBe('Unsupported/NoDomainRules');
    expect(state(seen, 'kubeAPIServer')).toBe('Unsupported/APIServerAddressesUnknown');
    expect(state({ ...seen, apiServerAddresses: ['192.0.2.1'] }, 'kubeAPIServer')).toBe('Supported/Declared');
  });

  it('kube-router without its firewall enforces nothing', () => {
    const router = { ...agent, name: 'kube-router', imageTags: {} };
    expect(state({ daemonSets: [{ ...router, flags: { '--run-firewall': 'false' } }] }, 'cidr')).toBe(
      'Unsupported/FirewallDisabled',
    );
    expect(state({ daemonSets: [{ ...router, flags: { '--run-firewall': 'true' } }] }, 'cidr')).toBe(
      'Supported/Declared',
    );
  });

  it('a cluster without any is none, and says so', () => {
    expect(assess({ ...healthy, daemonSets: [] })).toMatchObject({
      provider: 'none',
      detail: expect.stringMatching(/nothing would enforce/),
    });
  });

  it('a provider without an emitter is named', () => {
    expect(assess({ ...healthy, daemonSets: [{ ...agent, name: 'anetd' }] }).detail).toMatch(/GKE Dataplane V2/);
  });
});
