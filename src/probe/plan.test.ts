/** Which policies are tried, and what with. */
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../api/capability.ts';
import { factsFor } from '../compile/testing.ts';
import { ASSERTIONS } from './assertions.ts';
import { attemptsOf, checksOf, isCheck, type Plan, planOf } from './plan.ts';
import { podsOf, policyOf } from './subjects.ts';
import { NO_TARGETS } from './targets.ts';
import { ALL_TARGETS, sceneWith, settingsWith } from './testing.ts';

const cilium = factsFor('cilium', { 'domain.tlsServerName': 'NotImplemented' });
const networkPolicy = factsFor('k8s-networkpolicy', {
  'domain.exact': 'NoDomainRules',
  'domain.oneLabel': 'NoDomainRules',
  'domain.anyDepth': 'NoDomainRules',
  'dns.filter': 'NoDomainRules',
  'domain.tlsServerName': 'NoDomainRules',
  'family.ipv4Only': 'PeersHaveNoFamily',
  'family.ipv6Only': 'PeersHaveNoFamily',
});
const tried = (plan: Plan) => plan.policies.map(({ capability }) => capability);
const withheld = (plan: Plan) =>
  Object.fromEntries(plan.withheld.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]));
const specOf = (plan: Plan, capability: string) =>
  plan.policies.find((policy) => policy.capability === capability)?.objects[0]?.spec;

describe('the plan', () => {
  it('has an assertion, or a reason, for every capability that there is', () => {
    const plan = planOf(settingsWith(), cilium);
    expect(['isolation', ...tried(plan), ...Object.keys(withheld(plan))].sort()).toEqual([...CAPABILITIES].sort());
    expect(withheld(plan)).toEqual({ 'domain.tlsServerName': 'Unsupported/NotImplemented' });
  });

  it('takes the policies from the compiler, under names of its own, for accounts of its own', () => {
    const plan = planOf(settingsWith(), cilium);
    const names = plan.policies.flatMap(({ objects }) => objects.map(({ kind, name }) => `${kind} ${name}`));
    expect(names).toEqual(plan.policies.map(({ subject }) => `CiliumNetworkPolicy ${policyOf(subject)}`));
    expect(new Set(names).size).toBe(names.length);
    expect(specOf(plan, 'cidr')).toEqual({
      endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.policy.serviceaccount': 'agentplane-canary-cidr' } },
      enableDefaultDeny: { egress: true, ingress: false },
      egress: [{ toCIDRSet: [{ cidr: '203.0.113.10/32' }], toPorts: [{ ports: [{ port: '443', protocol: 'TCP' }] }] }],
    });
    expect(specOf(planOf(settingsWith(), networkPolicy), 'workloads')).toEqual({
      podSelector: { matchLabels: { 'agentplane.dev/profile': 'canary-workloads' } },
      policyTypes: ['Egress'],
      egress: [
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'canaries' } },
              podSelector: { matchLabels: { 'agentplane.dev/canary': 'target' } },
            },
          ],
          ports: [{ protocol: 'TCP', port: 8080 }],
        },
      ],
    });
  });

  it('excepts the denied address from a block of both, at the ports of both', () => {
    const spec = JSON.stringify(specOf(planOf(settingsWith(), cilium), 'cidr.except'));
    expect(spec).toContain('{"cidr":"203.0.113.0/27","except":["203.0.113.20/32"]}');
    expect(spec).toContain('"8443"');
  });

  it('tries nothing weaker where the provider cannot do it', () => {
    const plan = planOf(settingsWith(), networkPolicy);
    expect(tried(plan)).toEqual([
      'cidr',
      'cidr.except',
      'ports.range',
      'dns.clusterResolver',
      'workloads',
      'kubeAPIServer',
    ]);
    expect(withheld(plan)).toMatchObject({
      'domain.exact': 'Unsupported/NoDomainRules',
      'dns.filter': 'Unsupported/NoDomainRules',
    });
  });

  it('calls unsupported what rests on something else that is', () => {
    const plan = planOf(settingsWith(), factsFor('cilium', { 'dns.clusterResolver': 'NodeLocalDNS' }));
    expect(withheld(plan)).toMatchObject({
      'dns.clusterResolver': 'Unsupported/NodeLocalDNS',
      'domain.exact': 'Unsupported/NodeLocalDNS',
    });
  });

  it.each([
    [{ state: 'Missing' } as const, 'Inconclusive/InventoryMissing'],
    [{ state: 'Stale', observedAt: '2030-01-01T00:00:00Z' } as const, 'Inconclusive/InventoryStale'],
  ])('compiles nothing by a report that is not there or too old: %j', (facts, reason) => {
    const plan = planOf(settingsWith(), facts);
    expect(plan.policies).toEqual([]);
    expect(new Set(Object.values(withheld(plan)))).toEqual(new Set([reason]));
  });

  it('says what the compiler refuses', () => {
    const wide = { ...ALL_TARGETS, denied: [{ address: '9.9.9.9', family: 'IPv4', port: 443 } as const] };
    expect(withheld(planOf(settingsWith(wide), cilium))['cidr.except']).toBe('Inconclusive/PolicyRefused');
    const inside = { ...ALL_TARGETS, allowedName: { name: 'a.b.svc.cluster.local', port: 443 } };
    const refused = planOf(settingsWith(inside), cilium).withheld.find(
      ({ capability }) => capability === 'domain.exact',
    );
    expect(refused).toMatchObject({ result: 'Inconclusive', message: expect.stringContaining('name of this cluster') });
  });
});

const checks = (scene = sceneWith(), facts: Parameters<typeof planOf>[1] = cilium) =>
  checksOf(planOf(scene, facts), scene);
const gaps = (items: ReturnType<typeof checks>) =>
  items.flatMap((item) => (isCheck(item) ? [] : [`${item.capability}: ${item.gap}`]));

describe('the checks', () => {
  it.each(ASSERTIONS.filter(({ capability }) => capability !== 'family.ipv6Only').map(({ capability }) => capability))(
    '%s is asserted by an allow and a deny',
    (capability) => {
      const own = checks()
        .filter(isCheck)
        .filter((check) => check.capability === capability);
      expect(new Set(own.filter(({ weight }) => weight === 'Required').map(({ expect: kind }) => kind))).toEqual(
        new Set(['Through', 'Blocked']),
      );
    },
  );

  it('name what is missing without targets, and go on inside of the cluster', () => {
    const scene = sceneWith({ targets: NO_TARGETS });
    expect(gaps(checks(scene))).toEqual([
      'cidr: an allowed and a denied address of IPv4',
      'cidr.except: an allowed and a denied address of IPv4',
      'dns.filter: an allowed and a denied name',
      'domain.exact: an allowed and a denied name',
      'domain.oneLabel: a name below a suffix by one label and one by two',
      'domain.anyDepth: a name below a suffix by one label and one by two, and a denied name',
      'family.ipv6Only: a pod with an address of IPv6',
    ]);
    const inside = new Set(
      checks(scene)
        .filter(isCheck)
        .map(({ capability }) => capability),
    );
    expect([...inside]).toEqual([
      'isolation',
      'workloads',
      'ports.range',
      'dns.clusterResolver',
      'kubeAPIServer',
      'family.ipv4Only',
    ]);
  });

  it('try both families where pods have both, and want targets of both', () => {
    const scene = sceneWith({ target: ['10.0.0.1', 'fd00::1'], other: ['10.0.0.2', 'fd00::2'] });
    const texts = checks(scene)
      .filter(isCheck)
      .filter(({ capability }) => capability === 'isolation')
      .map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        'tcp://10.0.0.1:8080#target',
        'tcp://[fd00::1]:8080#target',
        'dns://[fd00::1]:53/kubernetes.default.svc.cluster.local',
      ]),
    );
    expect(gaps(checks(scene))).toContain('cidr: an allowed and a denied address of IPv6');
    const family = checks(scene)
      .filter(isCheck)
      .filter(({ capability }) => capability === 'family.ipv4Only');
    expect(family.map(({ text, expect: kind }) => `${kind} ${text}`)).toEqual([
      'Through tcp://10.0.0.1:8080#target',
      'Blocked tcp://10.0.0.1:8081#target',
      'Blocked tcp://[fd00::1]:8080#target',
    ]);
  });

  it('of the floor are there whatever the provider', () => {
    const none = factsFor('none', Object.fromEntries(CAPABILITIES.map((name) => [name, 'NoEnforcingProvider'])));
    const own = checks(sceneWith(), none).filter(isCheck);
    expect(new Set(own.map(({ capability }) => capability))).toEqual(new Set(['isolation']));
    expect(own.filter(({ weight }) => weight === 'Supporting').map(({ what }) => what)).toEqual([
      'the metadata address',
      '203.0.113.10:443',
      'the resolver 198.51.100.53',
    ]);
  });

  it('are all tried by the control, and by each canary its own alone', () => {
    const all = checks().filter(isCheck);
    const attempts = attemptsOf(all);
    expect(new Set(attempts.get('control'))).toEqual(new Set(all.map(({ text }) => text)));
    for (const [subject, own] of attempts) {
      if (subject === 'control') continue;
      const expected = all.filter(({ pods }) => pods.includes(podsOf(subject)[0] ?? ''));
      expect(new Set(own)).toEqual(new Set(expected.map(({ text }) => text)));
    }
  });
});
