/** Real packets on Cilium: what a policy allows answers, what it does not allow does not, and every denial has its accepted twin. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TARGET_PORTS, type TargetName } from '../../scripts/clusters/target-plan.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import { NOT_OBSERVED } from '../../src/api/meta.ts';
import { conditionOf, getPolicy, policy, resolver, waitForReady, waitForReason } from '../support/policies.ts';
import { capabilityReport, generatedObjects } from './support/objects.ts';
import { enforce, prove, removeAllPolicies, removePolicy } from './support/policy-run.ts';
import { probeDuring } from './support/prober.ts';
import { agent, bystander, control, GOVERNED, INSTALL, openSite, type Site, TOOLS } from './support/site.ts';
import { allDenied, expectTable, look, type Table, waitForTable } from './support/table.ts';

let site: Site;

beforeAll(async () => {
  site = await openSite('cilium');
});

afterEach(() => removeAllPolicies(site.kubectl));

afterAll(() => site?.close());

/** A target by its address. */
const at = (target: TargetName, port = 80) => `http://${site.targets.addresses[target]}:${port}/`;
/** A target by its name. */
const named = (name: string, port = 80) => `http://${name}.example.test:${port}/`;
const tool = (pod: 'tool' | 'other', port: number) => `http://${site.pods[pod]}:${port}/`;
const block = (target: TargetName) => `${site.targets.addresses[target]}/32`;
const http = [{ port: 80 }];

/** One of every kind of destination. */
const everything = (): Table => ({
  [at('api')]: 'api',
  [at('evil', TARGET_PORTS[1])]: 'evil',
  [named('api')]: 'api',
  [named('a.cdn')]: 'a.cdn',
  [tool('tool', 8080)]: 'tool',
  [at('metadata')]: 'metadata',
  [`dns://${site.targets.addresses.resolver}/api.example.test`]: site.targets.addresses.api,
  [apiServer()]: 'Client sent an HTTP request to an HTTPS server.',
});

/** Through its Service, as workloads do. It answers plain HTTP with a complaint, which is an answer. */
const apiServer = () => 'http://10.96.0.1:443/';

describe('without a policy', () => {
  it('the installed parts run in a namespace that enforces Pod Security restricted, and report Cilium', async () => {
    const { provider, capabilities } = await capabilityReport(site.kubectl);
    expect(provider).toMatchObject({ name: 'cilium', agents: { desired: 1, ready: 1 } });
    expect(capabilities).toContainEqual({ name: 'domain.anyDepth', state: 'Supported', reason: 'Declared' });
    const rollout = ['rollout', 'status', '-n', INSTALL, '--timeout=10s'];
    for (const name of ['operator', 'inventory']) await site.kubectl.run(...rollout, `deployment/agentplane-${name}`);
  });

  it('everything answers in an ungoverned namespace, and nothing in a governed one', async () => {
    expect(await look(site.kubectl, control, everything())).toEqual(everything());
    expect(await look(site.kubectl, agent, everything())).toEqual(allDenied(everything()));
    expect(await look(site.kubectl, bystander, everything())).toEqual(allDenied(everything()));
  });
});

const cidrs = (...targets: TargetName[]) => targets.map((target) => ({ cidr: { block: block(target) } }));
const domains = (...destinations: object[]) => ({
  dns: resolver,
  allow: [{ name: 'names', to: destinations.map((domain) => ({ domain })), ports: http }],
});
const cdn = (depth: string) => ({ suffix: 'cdn.example.test', depth });

describe('addresses', () => {
  it('a CIDR block opens its addresses at its ports, except what it excepts', async () => {
    // The targets have the addresses .201 and following.
    const range = site.targets.addresses.api.replace(/[0-9]+$/, '200/29');
    const to = [{ cidr: { block: range, except: [block('evil')] } }];
    await prove(site.kubectl, {
      name: 'range',
      spec: { allow: [{ name: 'corp', to, ports: [{ port: 8000, endPort: 8005 }] }] },
      opens: {
        [at('api', 8000)]: 'api',
        [at('second', 8005)]: 'second',
        [at('api', 8006)]: 'denied',
        [at('api', 80)]: 'denied',
        [at('evil', 8000)]: 'denied',
        [at('unnamed', 8000)]: 'denied',
        [at('metadata', 8000)]: 'denied',
        [named('api', 8000)]: 'denied',
      },
    });
  });

  it('a policy that would open the metadata service is refused, and opens nothing', async () => {
    const to = [{ cidr: { block: '169.254.0.0/16' } }];
    await site.kubectl.apply([policy(GOVERNED, 'metadata', { allow: [{ name: 'metadata', to, ports: http }] })]);
    const seen = await waitForReason(site.kubectl, { namespace: GOVERNED, name: 'metadata' }, 'InvalidPolicy');
    expect(conditionOf(seen, 'Accepted')?.message).toContain('cloud metadata service');
    expect((await generatedObjects(site.kubectl)).map(({ name }) => name)).toEqual(['agentplane-floor']);
    expect(await look(site.kubectl, agent, { [at('metadata')]: '' })).toEqual({ [at('metadata')]: 'denied' });
    expect(await look(site.kubectl, control, { [at('metadata')]: '' })).toEqual({ [at('metadata')]: 'metadata' });
    await removePolicy(site.kubectl, 'metadata');
  });
});

describe('names', () => {
  it('an exact name opens what it resolves to, once it was looked up on the node, at its ports', async () => {
    // Not the name of the demo: Cilium shares what it has learned among the pods of a node, and its agent may still run here.
    const direct = at('second');
    await enforce(site.kubectl, 'names', domains({ name: 'second.example.test' }));
    // The answer to another name shows that the rules are in force, without looking this one up.
    await waitForTable(site.kubectl, agent, { [named('evil')]: 'does-not-resolve' });
    expect(await look(site.kubectl, agent, { [direct]: '' })).toEqual({ [direct]: 'denied' });
    await expectTable(site.kubectl, agent, { [named('second')]: 'second' });
    expect(await look(site.kubectl, agent, { [direct]: '' })).toEqual({ [direct]: 'second' });
    await removePolicy(site.kubectl, 'names');
    await waitForTable(site.kubectl, agent, { [direct]: 'denied', [named('second')]: 'denied' });
  });

  it('other ports, other names and other addresses stay shut, and so does every other resolver', async () => {
    const { resolver: other, api } = site.targets.addresses;
    const opens: Table = {
      [named('api')]: 'api',
      [named('api', 8000)]: 'denied',
      [named('evil')]: 'does-not-resolve',
      [named('second')]: 'does-not-resolve',
      [at('evil')]: 'denied',
      [at('unnamed')]: 'denied',
      [at('metadata')]: 'denied',
      [`dns://${other}/api.example.test`]: 'denied',
    };
    const free = { [`dns://${other}/api.example.test`]: api, [named('evil')]: 'evil', [at('metadata')]: 'metadata' };
    await prove(site.kubectl, { name: 'exact', spec: domains({ name: 'api.example.test' }), opens, free });
  });

  it.each([
    ['OneLabel', 'does-not-resolve'],
    ['AnyDepth', 'a.b.cdn'],
  ])('a suffix of depth %s includes names below it, never itself', async (depth, deep) => {
    await prove(site.kubectl, {
      name: 'suffix',
      spec: domains(cdn(depth)),
      opens: {
        [named('a.cdn')]: 'a.cdn',
        [named('a.b.cdn')]: deep,
        [named('cdn')]: 'does-not-resolve',
        [named('api')]: 'does-not-resolve',
        [at('cdn')]: 'denied',
      },
      free: { [named('a.b.cdn')]: 'a.b.cdn', [named('cdn')]: 'cdn' },
    });
  });

  it('a name that leads to the metadata service opens nothing there', async () => {
    await prove(site.kubectl, {
      name: 'rebinding',
      spec: domains({ name: 'rebind.example.test' }, { name: 'api.example.test' }),
      opens: { [named('api')]: 'api', [named('rebind')]: 'denied', [at('metadata')]: 'denied' },
      free: { [named('rebind')]: 'metadata' },
    });
  });

  it('a second name opens its own address as well', async () => {
    await prove(site.kubectl, {
      name: 'two-names',
      spec: domains({ name: 'api.example.test' }, { name: 'second.example.test' }),
      opens: { [named('api')]: 'api', [named('second')]: 'second', [named('evil')]: 'does-not-resolve' },
      free: { [named('evil')]: 'evil' },
    });
  });
});

describe('inside the cluster', () => {
  it('workloads are opened by namespace, labels and port', async () => {
    const to = [{ workloads: { namespace: TOOLS, podLabels: { app: 'tool' } } }];
    await prove(site.kubectl, {
      name: 'workloads',
      spec: { allow: [{ name: 'tools', to, ports: [{ port: 8080 }] }] },
      opens: { [tool('tool', 8080)]: 'tool', [tool('tool', 8081)]: 'denied', [tool('other', 8080)]: 'denied' },
    });
  });

  it('the API server is opened by name, and by nothing else', async () => {
    const answer = everything()[apiServer()] ?? '';
    await prove(site.kubectl, {
      name: 'api-server',
      spec: { allow: [{ name: 'api', to: [{ kubeAPIServer: {} }], ports: [{ port: 6443 }] }] },
      opens: { [apiServer()]: answer, [tool('tool', 8080)]: 'denied', [at('api')]: 'denied' },
    });
  });
});

describe('an empty policy', () => {
  it('denies everything, by itself: also while the floor is gone, which it says', async () => {
    await enforce(site.kubectl, 'empty', {});
    expect(await look(site.kubectl, agent, everything())).toEqual(allDenied(everything()));
    const floor = await site.kubectl.get<object>('networkpolicy', '-n', GOVERNED, 'agentplane-floor');
    await site.kubectl.run('delete', 'networkpolicy', '-n', GOVERNED, 'agentplane-floor');
    try {
      await waitForReason(site.kubectl, { namespace: GOVERNED, name: 'empty' }, 'FloorMissing');
      // The pod that no policy selects is open now: whatever still holds the agent back is the policy.
      await expectTable(site.kubectl, bystander, { [at('api')]: 'api' });
      expect(await look(site.kubectl, agent, everything())).toEqual(allDenied(everything()));
    } finally {
      await restoreFloor(floor);
    }
    await waitForReady(site.kubectl, GOVERNED, 'empty');
    await waitForTable(site.kubectl, bystander, { [at('api')]: 'denied' });
    await removePolicy(site.kubectl, 'empty');
    expect(await look(site.kubectl, agent, everything())).toEqual(allDenied(everything()));
  });

  async function restoreFloor(floor: object | undefined): Promise<void> {
    const { metadata, spec } = floor as { metadata: Record<string, unknown>; spec: object };
    const { name, namespace, labels, annotations } = metadata;
    const kept = { name, namespace, labels, annotations };
    await site.kubectl.apply([{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: kept, spec }]);
  }
});

describe('a change', () => {
  it('from one block to another opens nothing beside the two at any moment, and never interrupts what both allow', async () => {
    const spec = (target: TargetName) => ({ allow: [{ name: 'corp', to: cidrs('second', target), ports: http }] });
    const urls = (['second', 'api', 'cdn', 'evil', 'metadata'] as const).map((target) => at(target));
    await enforce(site.kubectl, 'changing', spec('api'));
    await waitForTable(site.kubectl, agent, { [at('second')]: 'second', [at('api')]: 'api', [at('cdn')]: 'denied' });
    const objects = await generatedObjects(site.kubectl);
    const [both, before, after, ...outside] = await probeDuring(site.kubectl, { pod: agent, urls }, async () => {
      for (const target of ['cdn', 'api', 'cdn'] as const) {
        await enforce(site.kubectl, 'changing', spec(target));
        const gone = target === 'cdn' ? 'api' : 'cdn';
        await waitForTable(site.kubectl, agent, { [at(target)]: target, [at(gone)]: 'denied' });
      }
    });
    expect(outside.filter(({ answered, silent }) => answered > 0 || silent === 0)).toEqual([]);
    for (const moved of [before, after]) expect(moved?.answered).toBeGreaterThan(0);
    expect(both).toMatchObject({ silent: 0 });
    expect(both?.answered).toBeGreaterThan(10);
    // Changed in place: an object that is deleted and created again may show no gap on one quick node.
    expect(await generatedObjects(site.kubectl)).toEqual(objects);
    await removePolicy(site.kubectl, 'changing');
    await waitForTable(site.kubectl, agent, allDenied({ [at('second')]: '', [at('cdn')]: '' }));
  });
});

describe('a consumer', () => {
  const name = 'research-egress';
  const inNamespace = ['-n', GOVERNED];

  it('reads what is in force with the documented commands', async () => {
    const { kubectl } = site;
    await kubectl.apply([policy(GOVERNED, name, domains({ name: 'api.example.test' }))]);
    await kubectl.run('wait', ...inNamespace, `egresspolicy/${name}`, '--for=condition=Ready', '--timeout=60s');
    await expectTable(kubectl, agent, { [named('api')]: 'api' });

    await kubectl.apply([policy(GOVERNED, name, domains({ name: 'second.example.test' }))]);
    const generation = await kubectl.run(
      'get',
      'egresspolicy',
      ...inNamespace,
      name,
      '-o',
      'jsonpath={.metadata.generation}',
    );
    const observed = `--for=jsonpath={.status.observedGeneration}=${generation}`;
    await kubectl.run('wait', ...inNamespace, `egresspolicy/${name}`, observed, '--timeout=60s');
    await kubectl.run('wait', ...inNamespace, `egresspolicy/${name}`, '--for=condition=Ready', '--timeout=60s');
    await expectTable(kubectl, agent, { [named('second')]: 'second', [named('api')]: 'does-not-resolve' });
    expect(isActive((await getPolicy(kubectl, GOVERNED, name)) as Observable)).toBe(true);

    const [header = '', row = ''] = (await kubectl.run('get', 'egresspolicies', ...inNamespace)).split('\n');
    const columns = ['NAME', 'PROFILE', 'READY', 'REASON', 'GENERATION', 'OBSERVED', 'IN FORCE', 'PROVIDER', 'AGE'];
    expect(header.trim().split(/ {2,}/)).toEqual(columns);
    expect(row.trim().split(/ +/).slice(0, -1)).toEqual([name, 'research', 'True', 'Ready', '2', '2', '2', 'cilium']);
  });

  it('sees that a newer spec does not inherit the success of the older one', async () => {
    await site.kubectl.apply([policy(GOVERNED, name, { require: { verification: 'Probed' } })]);
    const seen = await waitForReason(site.kubectl, { namespace: GOVERNED, name }, 'NotProbed');
    expect(isActive(seen as Observable)).toBe(false);
    const wait = ['wait', ...inNamespace, `egresspolicy/${name}`, '--for=condition=Ready', '--timeout=1s'];
    expect((await site.kubectl.try(...wait)).code).not.toBe(0);
    await removePolicy(site.kubectl, name);
    await waitForTable(site.kubectl, agent, { [named('second')]: 'denied', [at('second')]: 'denied' });
  });
});

describe('without the operator', () => {
  const scale = async (replicas: number) => {
    const name = 'deployment/agentplane-operator';
    await site.kubectl.run('scale', '-n', INSTALL, name, `--replicas=${replicas}`);
    const pods = ['pod', '-n', INSTALL, '-l', 'app.kubernetes.io/component=operator'];
    if (replicas === 0) await site.kubectl.run('wait', ...pods, '--for=delete', '--timeout=60s');
    else await site.kubectl.run('rollout', 'status', '-n', INSTALL, name, '--timeout=60s');
  };

  it('policy and floor stay enforced, a deleted policy shuts, and a new one waits', async () => {
    const opens: Table = { [at('api')]: 'api', [at('evil')]: 'denied' };
    await enforce(site.kubectl, 'kept', { allow: [{ name: 'corp', to: cidrs('api'), ports: http }] });
    await expectTable(site.kubectl, agent, opens);
    await scale(0);
    try {
      expect(await look(site.kubectl, agent, opens)).toEqual(opens);
      expect(await look(site.kubectl, bystander, opens)).toEqual(allDenied(opens));
      await removePolicy(site.kubectl, 'kept');
      await waitForTable(site.kubectl, agent, allDenied(opens));
      await site.kubectl.apply([
        policy(GOVERNED, 'late', { allow: [{ name: 'corp', to: cidrs('api'), ports: http }] }),
      ]);
      expect(await look(site.kubectl, agent, opens)).toEqual(allDenied(opens));
      expect((await getPolicy(site.kubectl, GOVERNED, 'late'))?.status?.observedGeneration).toBe(NOT_OBSERVED);
    } finally {
      await scale(1);
    }
    await waitForReady(site.kubectl, GOVERNED, 'late');
    await expectTable(site.kubectl, agent, opens);
    await removePolicy(site.kubectl, 'late');
    await waitForTable(site.kubectl, agent, allDenied(opens));
  });
});
