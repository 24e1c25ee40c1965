import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { compile } from './compile.ts';
import { emitNetworkPolicy } from './emit-networkpolicy.ts';
import { identityHash } from './names.ts';
import { factsFor, requestFor } from './testing.ts';

const https = [{ port: 443 }];
const domainRule = { name: 'model-api', to: [{ domain: { name: 'api.example.com' } }], ports: https };
const cidrRule = {
  name: 'corp',
  to: [{ cidr: { block: '203.0.113.0/24', except: ['203.0.113.128/25'] } }],
  ports: [{ port: 8000, endPort: 8010 }],
};
const resolver = { access: 'ClusterResolver' };

describe('what is emitted for Cilium', () => {
  it('a domain rule comes with a DNS rule for the same name, and selects by ServiceAccount', () => {
    const { result } = compile(requestFor({ dns: resolver, allow: [domainRule] }));
    expect(result?.outputs).toHaveLength(1);
    expect(result?.outputs[0]).toMatchObject({ apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy' });
    expect(result?.outputs[0]?.spec).toEqual({
      endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.policy.serviceaccount': 'research-agent' } },
      enableDefaultDeny: { egress: true, ingress: false },
      egress: [
        {
          toEndpoints: [
            { matchLabels: { 'k8s:k8s-app': 'kube-dns', 'k8s:io.kubernetes.pod.namespace': 'kube-system' } },
          ],
          toPorts: [
            {
              ports: [
                { port: '53', protocol: 'TCP' },
                { port: '53', protocol: 'UDP' },
              ],
              rules: { dns: [{ matchName: 'api.example.com' }] },
            },
          ],
        },
        { toFQDNs: [{ matchName: 'api.example.com' }], toPorts: [{ ports: [{ port: '443', protocol: 'TCP' }] }] },
      ],
      egressDeny: [{ toCIDR: expect.arrayContaining(['169.254.0.0/16', 'fd00:ec2::/32']) }],
    });
  });

  it('wildcards keep their depth, and never include the apex', () => {
    const { result } = compile(
      requestFor({
        dns: resolver,
        allow: [
          {
            name: 'cdn',
            to: [
              { domain: { suffix: 'one.example.com', depth: 'OneLabel' } },
              { domain: { suffix: 'any.example.com', depth: 'AnyDepth' } },
            ],
            ports: https,
          },
        ],
      }),
    );
    const text = canonicalJson(result?.outputs);
    expect(text).toContain('"toFQDNs":[{"matchPattern":"**.any.example.com"},{"matchPattern":"*.one.example.com"}]');
    expect(text).not.toContain('matchName');
  });

  it('labels are written in one order, whatever the order of the policy', () => {
    const podLabels = (entries: [string, string][]) => ({ namespace: 'mcp', podLabels: Object.fromEntries(entries) });
    const bytes = (entries: [string, string][], provider: 'cilium' | 'k8s-networkpolicy') => {
      const allow = [{ name: 'tools', to: [{ workloads: podLabels(entries) }], ports: https }];
      return JSON.stringify(compile(requestFor({ allow }, { facts: factsFor(provider) })).result);
    };
    for (const provider of ['cilium', 'k8s-networkpolicy'] as const) {
      const one = bytes(
        [
          ['app', 'x'],
          ['tier', 'y'],
        ],
        provider,
      );
      expect(
        bytes(
          [
            ['tier', 'y'],
            ['app', 'x'],
          ],
          provider,
        ),
      ).toBe(one);
    }
  });

  it('an empty allow list is a policy that denies everything', () => {
    expect(compile(requestFor({})).result?.outputs[0]?.spec.egress).toEqual([{}]);
  });

  it('queries: Any resolves every name, and toFQDNs still lists only the asked ones', () => {
    const { result } = compile(requestFor({ dns: { ...resolver, queries: 'Any' }, allow: [domainRule] }));
    const text = canonicalJson(result?.outputs);
    expect(text).toContain('"rules":{"dns":[{"matchPattern":"*"}]}');
    expect(text).toContain('"toFQDNs":[{"matchName":"api.example.com"}]');
  });
});

describe('what is emitted for NetworkPolicy', () => {
  const facts = factsFor('k8s-networkpolicy');

  it('CIDR rules with exceptions and port ranges, selecting by the guarded label', () => {
    const { result } = compile(requestFor({ allow: [cidrRule] }, { facts }));
    expect(result?.outputs[0]).toMatchObject({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' });
    expect(result?.outputs[0]?.spec).toEqual({
      podSelector: { matchLabels: { 'agentplane.dev/profile': 'research' } },
      policyTypes: ['Egress'],
      egress: [
        {
          to: [{ ipBlock: { cidr: '203.0.113.0/24', except: ['203.0.113.128/25'] } }],
          ports: [{ protocol: 'TCP', port: 8000, endPort: 8010 }],
        },
      ],
    });
  });

  it('an empty allow list has no egress rule, and still says Egress', () => {
    expect(compile(requestFor({}, { facts })).result?.outputs[0]?.spec).toEqual({
      podSelector: { matchLabels: { 'agentplane.dev/profile': 'research' } },
      policyTypes: ['Egress'],
    });
  });

  it('the API server without a known address is refused, not written as an empty peer list', () => {
    const allow = [{ name: 'api', to: [{ kubeAPIServer: {} }], ports: [{ port: 6443 }] }];
    expect(compile(requestFor({ allow }, { facts })).result?.outputs[0]?.spec.egress).toEqual([
      { to: [{ ipBlock: { cidr: '192.0.2.10/32' } }], ports: [{ protocol: 'TCP', port: 6443 }] },
    ]);
    const blind = compile(requestFor({ allow }, { facts: { ...facts, apiServerAddresses: [] } }));
    expect(blind.result).toBeUndefined();
    expect(blind.support).toMatchObject({
      missing: [{ rule: 'api', index: 0, capability: 'kubeAPIServer', reason: 'APIServerAddressesUnknown' }],
    });
  });
});

describe('refusals', () => {
  it('a domain on a provider without domains is refused with rule, index and capability, and nothing is emitted', () => {
    const facts = factsFor('cilium', { 'domain.exact': 'L7ProxyDisabled', 'dns.filter': 'L7ProxyDisabled' });
    const compiled = compile(requestFor({ dns: resolver, allow: [cidrRule, domainRule] }, { facts }));
    expect(compiled.result).toBeUndefined();
    expect(compiled.support).toMatchObject({
      state: 'Unsupported',
      missing: [
        { capability: 'dns.filter', reason: 'L7ProxyDisabled' },
        { rule: 'model-api', index: 0, capability: 'domain.exact', reason: 'L7ProxyDisabled' },
      ],
    });
  });

  it.each([
    ['no report', { state: 'Missing' }, 'InventoryMissing'],
    ['a stale report', { state: 'Stale', observedAt: '2026-01-01T00:00:00Z' }, 'InventoryStale'],
    ['two providers', factsFor('ambiguous'), 'Ambiguous'],
    ['no provider', factsFor('none'), 'Unsupported'],
  ] as const)('%s emits nothing, not even for an empty policy', (_, facts, state) => {
    const compiled = compile(requestFor({}, { facts }));
    expect(compiled).toMatchObject({ support: { state } });
    expect(compiled.result).toBeUndefined();
  });

  it('a capability that the report does not name is missing', () => {
    const known = factsFor('cilium');
    const capabilities = new Map([...known.capabilities].filter(([name]) => name !== 'cidr'));
    expect(compile(requestFor({ allow: [cidrRule] }, { facts: { ...known, capabilities } })).support).toMatchObject({
      missing: [{ capability: 'cidr', reason: 'NotReported' }],
    });
  });

  it('a report that claims what the provider never had is not believed', () => {
    const known = factsFor('cilium');
    const rule = (domain: object) => [{ name: 'cdn', to: [{ domain }], ports: https }];
    const deep = { dns: resolver, allow: rule({ suffix: 'example.com', depth: 'AnyDepth' }) };
    const on = (version: string) =>
      compile(requestFor(deep, { facts: { ...known, provider: { name: 'cilium', version } } }));
    expect(on('1.19.0').result).toBeDefined();
    expect(on('1.18.9').support).toMatchObject({ missing: [{ rule: 'cdn', index: 0, reason: 'ProviderTooOld' }] });
    expect(on('next').support).toMatchObject({ missing: [{ rule: 'cdn', index: 0, reason: 'ProviderTooOld' }] });
    const named = { dns: resolver, allow: [domainRule] };
    expect(compile(requestFor(named, { facts: factsFor('k8s-networkpolicy') })).result).toBeUndefined();
    const strict = { ...named, require: { domainAssurance: 'TLSServerName' } };
    expect(compile(requestFor(strict)).support).toMatchObject({ missing: [{ capability: 'domain.tlsServerName' }] });
  });

  it.each([
    ['pod-template-hash', 'Unsupported'],
    ['topology.kubernetes.io/zone', 'Unsupported'],
    ['io.cilium.k8s.policy.serviceaccount', 'Unsupported'],
    ['io.kubernetes.pod.namespace', 'Unsupported'],
    ['app.kubernetes.io/name', 'Supported'],
    ['app', 'Supported'],
  ])('workloads by the label %s are %s on Cilium: what leaves the identity would match nothing', (label, state) => {
    const allow = [
      { name: 'tools', to: [{ workloads: { namespace: 'mcp', podLabels: { [label]: 'x' } } }], ports: https },
    ];
    const { support } = compile(requestFor({ allow }));
    expect(support.state).toBe(state);
    if (state === 'Unsupported') {
      expect(support).toMatchObject({
        missing: [{ rule: 'tools', index: 0, capability: 'workloads', reason: 'LabelNotSelectable' }],
      });
    }
    expect(compile(requestFor({ allow }, { facts: factsFor('k8s-networkpolicy') })).support.state).toBe('Supported');
  });

  it('one family needs what the provider may lack, for every peer without an address', () => {
    const facts = factsFor('cilium', { 'family.ipv4Only': 'IPv6Enabled' });
    const ipv4 = { ipFamilies: ['IPv4'] };
    expect(compile(requestFor({ ...ipv4, allow: [cidrRule] }, { facts })).result).toBeDefined();
    expect(compile(requestFor({ ...ipv4, dns: resolver, allow: [domainRule] }, { facts })).result).toBeUndefined();
    expect(compile(requestFor({ dns: resolver, allow: [domainRule] }, { facts })).result).toBeDefined();
  });

  it('for the content of the spec emits nothing, although the cluster could', () => {
    const allow = [{ ...cidrRule, to: [{ cidr: { block: '203.0.113.5/24' } }] }];
    const compiled = compile(requestFor({ allow }));
    expect(compiled).toMatchObject({ problems: [{ rule: 'corp', index: 0 }], support: { state: 'Supported' } });
    expect(compiled.result).toBeUndefined();
  });

  it('a rule that has come to have no peer is left out, never written as "everywhere"', () => {
    const request = requestFor({ dns: resolver, allow: [domainRule] });
    const { owner, spec } = request;
    const subject = { profile: 'research', serviceAccountName: 'research-agent' };
    const [output] = emitNetworkPolicy({
      owner,
      spec,
      subject,
      facts: { ...factsFor('k8s-networkpolicy'), apiServerAddresses: [] },
    });
    expect(canonicalJson(output?.spec.egress)).not.toContain('"to":[]');
  });

  it('without a profile nothing is emitted, and validity and support are still judged', () => {
    const compiled = compile(requestFor({ allow: [cidrRule] }, { subject: undefined }));
    expect(compiled).toEqual({ problems: [], support: expect.objectContaining({ state: 'Supported' }) });
  });
});

describe('identity', () => {
  const owner = { kind: 'EgressPolicy', namespace: 'a', name: 'n', uid: 'u' };

  it('derives from the stable id, never from the name', () => {
    expect(identityHash({ ...owner, name: 'renamed' })).toBe(identityHash(owner));
    expect(identityHash({ ...owner, id: 'x', uid: 'other' })).toBe(identityHash({ ...owner, id: 'x' }));
  });

  it('tells kinds, ids and UIDs apart', () => {
    const hashes = [owner, { ...owner, id: 'u' }, { ...owner, uid: 'v' }, { ...owner, kind: 'PolicyBundle' }].map(
      identityHash,
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
