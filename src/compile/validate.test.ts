import { describe, expect, it } from 'vitest';
import { NEVER_OPENED } from './cidr.ts';
import { specOf } from './testing.ts';
import { type Limits, validateSpec } from './validate.ts';

const limits: Limits = { allowAnyDestination: false, clusterDomain: 'cluster.local' };
const ports = [{ port: 443 }];

function problems(
  destinations: readonly unknown[],
  spec: Record<string, unknown> = {},
  overrides: Partial<Limits> = {},
): string {
  const allow = destinations.map((to, i) => ({ name: `rule-${i}`, to: [to], ports }));
  return validateSpec(specOf({ dns: { access: 'ClusterResolver' }, allow, ...spec }), { ...limits, ...overrides })
    .map(({ rule, index, message }) => `${rule ?? '-'}[${index ?? '-'}]: ${message}`)
    .join('\n');
}

const cidr = (block: string, except?: string[]) => ({ cidr: { block, ...(except === undefined ? {} : { except }) } });

describe('blocks', () => {
  it.each([
    ['an ordinary block', [cidr('203.0.113.0/24')]],
    ['a single address', [cidr('203.0.113.7/32')]],
    ['an IPv6 block', [cidr('2001:db8::/32')]],
    ['a private block', [cidr('10.0.0.0/8')]],
    ['a block with an exception', [cidr('203.0.113.0/24', ['203.0.113.128/25'])]],
    ['a wide block that excepts link-local addresses', [cidr('169.0.0.0/8', ['169.254.0.0/16'])]],
    ['link-local addresses excepted in two pieces', [cidr('169.0.0.0/8', ['169.254.0.0/17', '169.254.128.0/17'])]],
    ['one half', [cidr('0.0.0.0/2')]],
  ])('accepts %s', (_, destinations) => {
    expect(problems(destinations)).toBe('');
  });

  it.each([
    ['host bits', [cidr('203.0.113.5/24')], /rule-0\[0\]: .*host bits set: write 203\.0\.113\.0\/24/],
    ['IPv6 host bits', [cidr('2001:db8::1/32')], /write 2001:db8::\/32/],
    ['a spelling that is not canonical', [cidr('2001:db8:0:0::/32')], /canonical form: write 2001:db8::\/32/],
    ['a leading zero', [cidr('010.0.0.0/8')], /is not an IP block|canonical/],
    ['a short address', [cidr('10.0/16')], /is not an IP block|canonical/],
    ['an IPv4-mapped block', [cidr('::ffff:203.0.113.0/120')], /IPv4-mapped/],
    ['a prefix that is too long', [cidr('203.0.113.0/33')], /is not an IP block/],
    ['everything', [cidr('0.0.0.0/0')], /every public IPv4 address/],
    ['a part of what no policy may open', [cidr('169.254.169.254/32')], /is part of 169.254.0.0\/16 .*: remove it/],
    ['what includes such a part', [cidr('169.0.0.0/8')], /includes 169.254.0.0\/16 .*list it under except/],
    ['everything of IPv6', [cidr('::/0')], /every public IPv6 address|which no policy may open/],
    ['two halves', [cidr('0.0.0.0/1'), cidr('128.0.0.0/1', ['169.254.0.0/16'])], /-\[-\]: .*every public IPv4 address/],
    [
      'all public addresses in pieces',
      [cidr('0.0.0.0/1'), cidr('128.0.0.0/2', ['169.254.0.0/16']), cidr('192.0.0.0/3')],
      /every public IPv4/,
    ],
    ['the public IPv6 internet', [cidr('2000::/3')], /every public IPv6/],
    ['the metadata service', [cidr('169.254.169.254/32')], /metadata/],
    ['a block around the metadata service', [cidr('168.0.0.0/5')], /169\.254\.0\.0\/16/],
    ['an exception that misses a part of it', [cidr('168.0.0.0/5', ['169.254.0.0/17'])], /169\.254\.0\.0\/16/],
    ['the IPv6 metadata service', [cidr('fd00:ec2::254/128')], /metadata/],
    ['link-local addresses as NAT64 writes them', [cidr('64:ff9b::/96')], /NAT64/],
    ['link-local addresses as 6to4 writes them', [cidr('2002:a9fe:a9fe::/48')], /6to4/],
    ['the host services of a cloud', [cidr('168.63.129.16/32')], /cloud host/],
    ['loopback', [cidr('127.0.0.1/32')], /loopback/],
    ['IPv6 link-local', [cidr('fe80::/64')], /link-local/],
    ['an exception outside', [cidr('203.0.113.0/24', ['198.51.100.0/25'])], /not strictly inside/],
    ['an exception that is the block', [cidr('203.0.113.0/24', ['203.0.113.0/24'])], /not strictly inside/],
    ['an exception of the other family', [cidr('203.0.113.0/24', ['2001:db8::/64'])], /not strictly inside/],
    ['an exception with host bits', [cidr('203.0.113.0/24', ['203.0.113.129/25'])], /except: .*host bits/],
  ])('refuses %s, and names the rule', (_, destinations, message) => {
    expect(problems(destinations)).toMatch(message);
  });

  it('opens the whole internet only where the admin allows it, and link-local addresses never', () => {
    const allowed = { allowAnyDestination: true };
    const except = ['127.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32'];
    expect(problems([cidr('0.0.0.0/0', except)], {}, allowed)).toBe('');
    // What a rule lists is bounded: see `except` in src/api/egress-destination.ts.
    const never = NEVER_OPENED.filter((block) => block.includes(':'));
    expect(never.length).toBeLessThanOrEqual(8);
    expect(problems([cidr('::/0', never)], {}, allowed)).toBe('');
    expect(problems([cidr('0.0.0.0/0')], {}, allowed)).toMatch(/which no policy may open/);
  });

  it('refuses a block of a family that the policy does not list', () => {
    expect(problems([cidr('2001:db8::/32')], { ipFamilies: ['IPv4'] })).toMatch(/ipFamilies does not list/);
    expect(problems([cidr('203.0.113.0/24')], { ipFamilies: ['IPv4'] })).toBe('');
  });
});

describe('domains', () => {
  const suffix = (text: string) => ({ domain: { suffix: text, depth: 'OneLabel' } });

  it.each([
    ['a name', { domain: { name: 'api.example.com' } }],
    ['a suffix that one owner controls', suffix('example.com')],
    ['a name that is itself a public suffix', { domain: { name: 'github.io' } }],
    ['a suffix below a private public suffix', suffix('project.github.io')],
    ['a name that only looks like the cluster domain', { domain: { name: 'mycluster.local' } }],
  ])('accepts %s', (_, destination) => {
    expect(problems([destination])).toBe('');
  });

  it.each([
    ['a wildcard on a public suffix', suffix('co.uk'), /public suffix/],
    ['a wildcard on a private public suffix', suffix('github.io'), /public suffix/],
    ['a service of the cluster', { domain: { name: 'tool.mcp.svc.cluster.local' } }, /workloads destination/],
    ['a wildcard in the cluster domain', suffix('svc.cluster.local'), /workloads destination/],
  ])('refuses %s', (_, destination, message) => {
    expect(problems([destination])).toMatch(message);
  });
});

describe('the resolver', () => {
  const resolver = { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } };
  const pods = (namespace: string, podLabels: Record<string, string>) => [{ workloads: { namespace, podLabels } }];
  const dns = (to: readonly unknown[], port = 53) =>
    problems(to, { allow: [{ name: 'rule', to, ports: [{ protocol: 'UDP', port }] }] }, { resolver });

  it.each([
    ['the resolver itself', pods('kube-system', { 'k8s-app': 'kube-dns' })],
    ['pods that may be the resolver', pods('kube-system', { tier: 'system' })],
    ['pods with a label like a member of every object', pods('kube-system', { constructor: 'x' })],
  ])('is opened by dns only, not by %s', (_, to) => {
    expect(dns(to)).toMatch(/opened by dns.access only/);
  });

  it.each([
    ['other pods of its namespace', pods('kube-system', { 'k8s-app': 'metrics' }), 53],
    ['another namespace', pods('team-a', { 'k8s-app': 'kube-dns' }), 53],
    ['another port', pods('kube-system', { 'k8s-app': 'kube-dns' }), 9153],
  ])('%s may be named', (_, to, port) => {
    expect(dns(to, port)).toBe('');
  });
});
