import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES, type ProviderName } from '../api/capability.ts';
import { assess } from './capabilities.ts';
import { healthySeen } from './healthy.ts';
import { isRefused } from './providers/row.ts';
import { OBSERVED_CONFIG_MAPS, OBSERVED_DAEMON_SETS, PROVIDERS } from './providers.ts';
import type { Seen, SeenDaemonSet } from './seen.ts';

const healthy = healthySeen('cilium');
const plain: SeenDaemonSet = {
  name: 'kube-router',
  desired: 3,
  ready: 3,
  updated: 3,
  upToDate: true,
  flags: {},
  imageTags: {},
};
const cilium: SeenDaemonSet = { ...plain, name: 'cilium', imageTags: { 'cilium-agent': 'v1.20.2' } };
const runs = (...daemonSets: SeenDaemonSet[]): Partial<Seen> => ({
  daemonSets,
  apis: ['cilium', 'azure-acns', 'k8s-networkpolicy', 'kindnet'],
});
const version = (tag: string) => runs({ ...cilium, imageTags: { 'cilium-agent': tag } });
const config = (data: Record<string, string>): Partial<Seen> => ({ configMaps: { 'cilium-config': data } });
const named = (name: string, more: Partial<SeenDaemonSet> = {}): SeenDaemonSet => ({ ...plain, name, ...more });

function stateIn(seen: Seen, capability: string): string {
  const found = assess(seen).capabilities.find((item) => item.name === capability);
  return `${found?.state}/${found?.reason}`;
}
const state = (seen: Partial<Seen>, capability: string) => stateIn({ ...healthy, ...seen }, capability);

describe('Cilium', () => {
  it('declares what it can do, with its version', () => {
    const found = assess({ ...healthy, ...runs(cilium) });
    expect(found).toMatchObject({ provider: 'cilium', version: '1.20.2', agents: { desired: 3, ready: 3 } });
    expect(state({}, 'domain.anyDepth')).toBe('Supported/Declared');
    expect(state({}, 'family.ipv4Only')).toBe('Supported/Declared');
  });

  it.each([
    ['left-over CRDs without agents', runs(), 'cidr', 'Unsupported/NoEnforcingProvider'],
    ['a look-alike API', { apis: [] }, 'cidr', 'Unsupported/PolicyAPIMissing'],
    ['agents not ready', runs({ ...cilium, ready: 2 }), 'cidr', 'Unknown/AgentsNotReady'],
    ['no node to run on', runs({ ...cilium, desired: 0, ready: 0 }), 'cidr', 'Unknown/AgentsNotReady'],
    ['a roll-out not yet seen', runs({ ...cilium, upToDate: false }), 'cidr', 'Unknown/AgentsNotReady'],
    ['agents of two versions', runs({ ...cilium, updated: 2 }), 'cidr', 'Unknown/AgentsNotUpdated'],
    ['agents that may not be read', { unreadable: ['anetd'] }, 'cidr', 'Unknown/AgentsNotReadable'],
    ['no configuration to read', { configMaps: {} }, 'cidr', 'Unknown/ConfigNotReadable'],
    ['a version that cannot be told', version('latest'), 'cidr', 'Unknown/VersionUnknown'],
    ['a version that is too old', version('v1.15.9'), 'cidr', 'Unsupported/ProviderTooOld'],
    ['the oldest version', version('v1.16.0'), 'cidr', 'Supported/Declared'],
    ['an agent before any-depth wildcards', version('v1.18.8'), 'domain.anyDepth', 'Unsupported/ProviderTooOld'],
    ['an agent before any-depth wildcards', version('v1.18.8'), 'domain.oneLabel', 'Supported/Declared'],
    ['no L7 proxy', config({ 'enable-l7-proxy': 'false' }), 'domain.exact', 'Unsupported/L7ProxyDisabled'],
    ['no L7 proxy', config({ 'enable-l7-proxy': 'false' }), 'dns.filter', 'Unsupported/L7ProxyDisabled'],
    ['no L7 proxy', config({ 'enable-l7-proxy': 'false' }), 'cidr', 'Supported/Declared'],
    ['CNI chaining', config({ 'cni-chaining-mode': 'aws-cni' }), 'domain.exact', 'Unsupported/CNIChaining'],
    ['CNI chaining', config({ 'cni-chaining-mode': 'aws-cni' }), 'cidr', 'Supported/Declared'],
    ['enforcement off', config({ 'enable-policy': 'never' }), 'cidr', 'Unsupported/PolicyEnforcementNever'],
    ['enforcement always', config({ 'enable-policy': 'always' }), 'cidr', 'Supported/Declared'],
    ['audit mode', config({ 'policy-audit-mode': 'true' }), 'cidr', 'Unsupported/PolicyAuditMode'],
    [
      'its API switched off',
      config({ 'enable-cilium-network-policy': 'false' }),
      'cidr',
      'Unsupported/CiliumNetworkPolicyDisabled',
    ],
    [
      'a floor not enforced',
      config({ 'enable-k8s-networkpolicy': 'false' }),
      'cidr',
      'Unsupported/NetworkPolicyDisabled',
    ],
    ['a label filter without the account', config({ labels: 'k8s:app' }), 'cidr', 'Unsupported/IdentityLabelFilter'],
    [
      'a label filter without the resolver',
      config({ labels: 'io.cilium.* k8s:app agentplane.dev/profile' }),
      'domain.exact',
      'Unsupported/IdentityLabelFilter',
    ],
    [
      'a label filter without the resolver',
      config({ labels: 'io.cilium.* k8s:app agentplane.dev/profile' }),
      'cidr',
      'Supported/Declared',
    ],
    [
      'a label filter without the profile',
      config({ labels: 'io.cilium.* k8s:app' }),
      'cidr',
      'Unsupported/IdentityLabelFilter',
    ],
    ['a label filter that keeps both', config({ labels: '!job-name' }), 'domain.exact', 'Supported/Declared'],
    ['a label filter that keeps both', config({ labels: '!job-name' }), 'workloads', 'Unsupported/IdentityLabelFilter'],
    ['a file of label filters', config({ 'label-prefix-file': '/etc/l' }), 'cidr', 'Unsupported/IdentityLabelFilter'],
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
    ['IPv4 on', config({ 'enable-ipv4': 'true' }), 'family.ipv6Only', 'Unsupported/IPv4Enabled'],
    ['IPv4 off', config({ 'enable-ipv4': 'false' }), 'family.ipv6Only', 'Supported/Declared'],
    ['node-local DNS', runs(cilium, named('node-local-dns')), 'domain.exact', 'Unsupported/NodeLocalDNS'],
    ['a second provider', runs(cilium, named('calico-node')), 'cidr', 'Unsupported/AmbiguousProvider'],
  ])('%s', (_, seen, capability, expected) => {
    expect(state(seen, capability)).toBe(expected);
  });
});

describe('a pin', () => {
  const both = runs(cilium, named('calico-node'));

  it('resolves an ambiguity, and is still checked', () => {
    expect(assess({ ...healthy, ...both, pin: 'cilium' }).provider).toBe('cilium');
    expect(state({ ...both, pin: 'cilium', ...config({ 'enable-policy': 'never' }) }, 'cidr')).toBe(
      'Unsupported/PolicyEnforcementNever',
    );
  });

  it('to what does not run is refused with what does', () => {
    const found = assess({ ...healthy, ...runs(cilium), pin: 'k8s-networkpolicy' });
    expect(found).toMatchObject({
      provider: 'none',
      detail: expect.stringMatching(/k8s-networkpolicy is pinned, but .* found was cilium by DaemonSet cilium/),
    });
    expect(state({ ...runs(cilium), pin: 'k8s-networkpolicy' }, 'cidr')).toBe('Unsupported/PinnedProviderNotRunning');
  });

  it('to none switches everything off', () => {
    expect(state({ pin: 'none' }, 'cidr')).toBe('Unsupported/NoEnforcingProvider');
    expect(assess({ ...healthy, pin: 'none' }).detail).toMatch(/inventory.provider/);
  });

  it('does not help between two implementations of one provider', () => {
    const seen = { ...runs(plain, named('calico-node')), pin: 'k8s-networkpolicy' as const };
    expect(assess({ ...healthy, ...seen })).toMatchObject({
      provider: 'ambiguous',
      detail: expect.stringMatching(/remove one/),
    });
  });
});

describe('who is recognised', () => {
  it.each([
    ['Cilium, by its agents', runs(cilium), 'cilium'],
    ['GKE, where the API of Cilium is served', runs(named('anetd')), 'gke-dataplane-v2'],
    ['GKE, where it is not', { ...runs(named('anetd')), apis: [] }, 'gke-dataplane-v2'],
    ['GKE, even with agents of Cilium and a pin', { ...runs(named('anetd'), cilium), pin: 'cilium' as const }, 'none'],
    ['GKE, even without a node', runs(named('anetd', { desired: 0, ready: 0 }), cilium), 'gke-dataplane-v2'],
    ['Azure, by what runs beside Cilium', runs(cilium, named('azure-cns')), 'azure-acns'],
    ['nobody, where Azure has no Cilium', runs(named('azure-cns')), 'none'],
    ['Calico', runs(named('calico-node')), 'k8s-networkpolicy'],
    ['Calico Enterprise', { ...runs(named('calico-node')), apis: ['calico-enterprise' as const] }, 'calico-enterprise'],
    ['two', runs(cilium, named('antrea-agent')), 'ambiguous'],
    ['Cilium chained to the VPC CNI, only when pinned', runs(cilium, named('aws-node')), 'ambiguous'],
    ['Cilium in place of the VPC CNI', runs(cilium, named('aws-node', { desired: 0, ready: 0, updated: 0 })), 'cilium'],
    [
      'two, where one is not observed yet',
      runs(cilium, named('aws-node', { desired: 0, upToDate: false })),
      'ambiguous',
    ],
    ['an agent before an API', { ...runs(cilium), apis: ['cilium' as const, 'istio' as const] }, 'cilium'],
    ['an API alone', { ...runs(), apis: ['istio' as const, 'ovn-kubernetes' as const] }, 'ovn-kubernetes'],
    ['nobody', runs(), 'none'],
  ])('%s', (_, seen, provider) => {
    expect(assess({ ...healthy, ...seen }).provider).toBe(provider);
  });

  it('nobody, with what was left behind', () => {
    expect(assess({ ...healthy, ...runs() }).detail).toMatch(
      /nothing would enforce a policy, although CiliumNetworkPolicy of cilium.io\/v2 is served/,
    );
  });
});

describe('NetworkPolicy', () => {
  it('has no domains, and knows the API server only by listed addresses', () => {
    expect(state(runs(plain), 'cidr')).toBe('Supported/Declared');
    expect(state(runs(plain), 'domain.exact')).toBe('Unsupported/NoDomainRules');
    expect(state(runs(plain), 'family.ipv4Only')).toBe('Unsupported/PeersHaveNoFamily');
    expect(state(runs(plain), 'kubeAPIServer')).toBe('Unsupported/APIServerAddressesUnknown');
    expect(state({ ...runs(plain), apiServerAddresses: ['192.0.2.1'] }, 'kubeAPIServer')).toBe('Supported/Declared');
  });

  it('takes no address for the API server that no policy may open', () => {
    const seen = { ...runs(plain), apiServerAddresses: ['192.0.2.1', '169.254.169.254'] };
    expect(state(seen, 'kubeAPIServer')).toBe('Unsupported/APIServerAddressForbidden');
    expect(state(seen, 'cidr')).toBe('Supported/Declared');
    expect(state({ ...healthy, apiServerAddresses: ['169.254.169.254'] }, 'kubeAPIServer')).toBe('Supported/Declared');
  });

  it.each([
    ['kube-router', {}, 'Supported/Declared'],
    ['kube-router', { '--run-firewall': 'true' }, 'Supported/Declared'],
    ['kube-router', { '--run-firewall': 'false' }, 'Unsupported/FirewallDisabled'],
    ['kube-network-policies', {}, 'Unsupported/FailsOpen'],
    ['kube-network-policies', { '--fail-open': 'true' }, 'Unsupported/FailsOpen'],
    ['kube-network-policies', { '--fail-open': 'false' }, 'Supported/Declared'],
    ['calico-node', {}, 'Supported/Declared'],
  ])('of %s with %o', (name, flags, expected) => {
    expect(state(runs(named(name, { flags })), 'cidr')).toBe(expected);
  });
});

describe.each(PROVIDERS.map((row) => [row.name, row] as const))('the row of %s', (name, row) => {
  it('is recognised where it is healthy', () => {
    expect(assess(healthySeen(name)).provider).toBe(name);
  });

  it('supports what it says, or is refused by name with what is needed', () => {
    const { detail, capabilities } = assess(healthySeen(name));
    const supported = capabilities.filter((item) => item.state === 'Supported').map((item) => item.name);
    if (isRefused(row)) {
      expect(new Set(capabilities.map((item) => `${item.state}/${item.reason}`))).toEqual(
        new Set(['Unsupported/NoEmitter']),
      );
      expect(detail).toMatch(new RegExp(`^provider ${name} .* no emitter for it: that would take `));
      expect(detail).not.toMatch(/Besides/);
      expect(detail.length).toBeLessThanOrEqual(1024);
    } else {
      const conditional = ['kubeAPIServer', 'family.ipv6Only'];
      const declared = row.supports.map((item) => item.capability).filter((item) => !conditional.includes(item));
      expect(supported).toEqual(expect.arrayContaining(declared));
    }
  });
});

describe('a refused provider that would not enforce either', () => {
  const detailOf = (name: ProviderName, seen: Partial<Seen>) => assess({ ...healthySeen(name), ...seen }).detail;

  it.each([
    [
      'antrea',
      { configMaps: { 'antrea-config': { 'antrea-agent.conf': 'featureGates:\n  AntreaPolicy: false\n' } } },
      /AntreaPolicyDisabled/,
    ],
    ['antrea', { configMaps: {} }, /ConfigMap antrea-config is not there/],
    ['antrea', { apis: [] }, /fqdn is not served/],
    ['aws-vpc-cni', { configMaps: { 'amazon-vpc-cni': {} } }, /NetworkPolicyControllerDisabled/],
    ['aws-vpc-cni', { daemonSets: [named('aws-node')] }, /NetworkPolicyAgentDisabled/],
    ['aws-auto-mode', { configMaps: {} }, /NetworkPolicyControllerDisabled/],
    ['gke-dataplane-v2', { apis: [] }, /FQDNNetworkPolicy .* is not served/],
    ['gke-dataplane-v2', { daemonSets: [named('anetd', { ready: 1 })] }, /ready on 1 of 3 nodes/],
  ] as const)('%s says so', (name, seen, expected) => {
    expect(detailOf(name, seen)).toMatch(/Besides, /);
    expect(detailOf(name, seen)).toMatch(expected);
  });
});

describe('the table', () => {
  it('has a row for every name, once', () => {
    const names = PROVIDERS.map((row) => row.name);
    expect([...names, 'none', 'ambiguous'].sort()).toEqual([...PROVIDER_NAMES].sort());
  });

  it('looks for few objects, by name', () => {
    expect(OBSERVED_DAEMON_SETS.length).toBeLessThanOrEqual(12);
    expect(OBSERVED_CONFIG_MAPS).toEqual(['amazon-vpc-cni', 'antrea-config', 'cilium-config']);
  });
});
