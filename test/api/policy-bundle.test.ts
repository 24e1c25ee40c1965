/** Tool policies on a real API server: what is written, what stays, and what is left alone. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import type { ToolRule } from '../../src/api/tool-rule.ts';
import { compileBundle, MAX_DATA_BYTES } from '../../src/compile/bundle/compile-bundle.ts';
import { SUPERSEDED_MIN_MS } from '../../src/controllers/policy-bundle/supersede.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import {
  bundle,
  bundleReady,
  bundleReason,
  type ConfigMapObject,
  configMap,
  configMapGone,
  inline,
  toolRule,
  waitForBundle,
} from '../support/bundles.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { conditionOf, profile, summary } from '../support/policies.ts';
import type { Running } from '../support/process.ts';
import { answerOfCedar, answerOfJson, type BundleData } from '../support/tool-policies.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { type Installation, install } from './support/installation.ts';

const namespace = 'tools';
/** What is not watched is looked at so often here, and every five minutes elsewhere. */
const OFTEN = ['--config-map-recheck-seconds', '2', '--config-map-retry-seconds', '1'];
let site: Installation;
let operator: Running;

beforeAll(async () => {
  site = await install([namespace]);
  // The garbage collector looks for new kinds twice a minute only; a new one knows them all at once.
  await site.controlPlane.restart('kube-controller-manager');
  operator = await site.startOperator(OFTEN);
  await site.kubectl.apply([profile(namespace)]);
});

afterAll(async () => {
  expect(await operator.stop()).toBe(0);
});

const apply = async (name: string, spec: Readonly<Record<string, unknown>>) => {
  await site.kubectl.apply([bundle(namespace, name, spec)]);
};
const ready = (name: string) => bundleReady(site.kubectl, namespace, name);
const reason = (name: string, text: string) => bundleReason(site.kubectl, { namespace, name }, text);
const output = (name: string) => configMap(site.kubectl, namespace, name);
const remove = (kind: string, name: string) => site.kubectl.run('delete', kind, '-n', namespace, name);

async function outputOf(name: string): Promise<ConfigMapObject & { readonly data: BundleData }> {
  const { configMap: found = '' } = (await ready(name)).status?.output ?? {};
  const { data = {}, ...live } = (await output(found)) ?? { apiVersion: '', kind: '', metadata: { name: found } };
  return { ...live, data };
}

function podUsing(name: string, bundleName: string): object {
  const containers = [{ name: 'agent', image: 'registry.example.com/agents/none' }];
  const volumes = [{ name: 'tools', configMap: { name: bundleName } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: { containers, volumes } };
}

/** Requests of the operator about the kind and its outputs. */
async function requestsBetween(from: Awaited<ReturnType<typeof auditMark>>) {
  const entries = await auditBetween(controlPlaneOfWorker(), from, await auditMark(controlPlaneOfWorker()));
  return auditMatching(entries, { user: OPERATOR_USER, namespace, resource: ['configmaps', 'policybundles'] });
}

describe('a bundle', () => {
  it('becomes one immutable ConfigMap of its own, and a status that says so for this generation', async () => {
    const from = await auditMark(controlPlaneOfWorker());
    await apply('works', { ...inline(toolRule), targets: ['Cedar', 'JSON'] });
    const seen = await ready('works');
    const requests = await requestsBetween(from);
    expect(summary(seen)).toEqual({
      Accepted: 'True/Accepted',
      Supported: 'True/Supported',
      DependenciesResolved: 'True/Resolved',
      Compiled: 'True/Compiled',
      Applied: 'True/Applied',
      Enforced: 'Unknown/NotProbed',
      Ready: 'True/Ready',
    });
    const live = await outputOf('works');
    expect(live.metadata).toMatchObject({
      name: expect.stringMatching(/^ap-bundle-[0-9a-f]{32}$/),
      labels: { 'app.kubernetes.io/managed-by': 'agentplane', 'agentplane.dev/policy': expect.any(String) },
      ownerReferences: [{ kind: 'PolicyBundle', name: 'works', uid: seen.metadata.uid, controller: true }],
    });
    // As anybody can compute it: kubectl get configmap NAME -o json | jq -cjS .data | sha256sum
    const sorted = Object.fromEntries(Object.entries(live.data).sort(([a], [b]) => (a < b ? -1 : 1)));
    const digest = `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
    expect(seen.status?.output).toEqual({
      configMap: live.metadata.name,
      digest,
      generation: 1,
      uid: live.metadata.uid,
    });
    expect(auditCounts(auditMatching(requests, { verb: WRITES }))).toEqual({
      'create configmaps': 1,
      'patch agentplane.dev/policybundles/status': 1,
    });
    const own = auditMatching(requests, { verb: ['get', 'list'] }).filter(
      ({ objectRef }) => objectRef?.name !== live.metadata.name,
    );
    expect(auditCounts(own)).toEqual({});
  });

  it('cannot be changed by anybody: the API server refuses another content', async () => {
    const { metadata } = await outputOf('works');
    const patch = async (body: object) =>
      site.kubectl.try(
        'patch',
        'configmap',
        metadata.name,
        '-n',
        namespace,
        '--type=merge',
        '-p',
        JSON.stringify(body),
      );
    const refused = await patch({ data: { 'tool-policy.json': '{}' } });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('immutable');
    expect((await patch({ immutable: null })).code).not.toBe(0);
    // Its twin: what is not content is open to whoever may write ConfigMaps, and is left alone.
    expect((await patch({ metadata: { annotations: { theirs: 'x' } } })).code).toBe(0);
  });

  it('answers for a tool that is allowed, asked for, denied and not known, in both formats', async () => {
    const text = await readFile(path.join(REPOSITORY, 'examples/policy-bundle.yaml'), 'utf8');
    await site.kubectl.apply([parse(text) as object], '-n', namespace);
    const { data } = await outputOf('research-tools');
    const answers = (tool: string) => {
      const call = { server: 'github', tool };
      return [answerOfCedar(data, `${namespace}/research`, call), answerOfJson(data, call)];
    };
    expect(answers('get_issue')).toEqual(['Allow', 'Allow']);
    expect(answers('search_code')).toEqual(['Allow', 'Allow']);
    expect(answers('create_issue')).toEqual(['Ask', 'Ask']);
    expect(answers('create_secret')).toEqual(['Deny', 'Deny']);
    expect(answers('delete_repository')).toEqual(['Deny', 'Deny']);
  });

  it('of the same rules has an output of its own, which stays when the other bundle goes', async () => {
    for (const name of ['twin-a', 'twin-b']) await apply(name, inline(toolRule));
    const [a, b] = [await outputOf('twin-a'), await outputOf('twin-b')];
    expect(a.data).toEqual(b.data);
    expect(a.metadata.name).not.toBe(b.metadata.name);
    await remove('policybundle', 'twin-a');
    await configMapGone(site.kubectl, namespace, a.metadata.name);
    expect(await output(b.metadata.name)).toBeDefined();
  });

  it('waits for its profile', async () => {
    await apply('waits', { ...inline(toolRule), profileRef: { name: 'later' } });
    const seen = await reason('waits', 'DependencyMissing');
    expect(conditionOf(seen, 'DependenciesResolved')?.message).toContain('RuntimeProfile later does not exist');
    expect(seen.status?.output).toBeUndefined();
    await site.kubectl.apply([profile(namespace, 'later', 'later-agent')]);
    await ready('waits');
  });
});

describe('another content', () => {
  it('is another ConfigMap, and the older one stays while a pod uses it', async () => {
    await apply('moves', inline(toolRule));
    const older = (await outputOf('moves')).metadata.name;
    await site.kubectl.apply([podUsing('agent', older)]);
    const from = await auditMark(controlPlaneOfWorker());
    await apply('moves', inline({ ...toolRule, tools: ['get_issue'] }));
    const newer = (await outputOf('moves')).metadata.name;
    expect(newer).not.toBe(older);
    await apply('moves', inline({ ...toolRule, tools: ['search_*'] }));
    await ready('moves');
    // What no pod uses goes by itself: proof that the older one was looked at as well.
    await configMapGone(site.kubectl, namespace, newer);
    const { status } = await waitForBundle(
      site.kubectl,
      { namespace, name: 'moves' },
      (seen) => seen.status?.superseded?.length === 1,
    );
    expect(status?.superseded).toEqual([{ configMap: older, uid: expect.any(String), since: expect.any(String) }]);
    expect(await output(older)).toBeDefined();
    const writes = auditMatching(await requestsBetween(from), { resource: 'configmaps', verb: WRITES });
    expect(auditCounts(writes)).toEqual({ 'create configmaps': 2, 'delete configmaps': 1 });
    await remove('pod', 'agent');
    await configMapGone(site.kubectl, namespace, older);
    await waitForBundle(site.kubectl, { namespace, name: 'moves' }, (seen) => seen.status?.superseded === undefined);
  });

  it('that cannot be put in force leaves the older one in place, and says which', async () => {
    await apply('keeps', inline(toolRule));
    const { metadata } = await outputOf('keeps');
    await apply('keeps', { ...inline(toolRule), profileRef: { name: 'nobody' } });
    const seen = await reason('keeps', 'DependencyMissing');
    expect(summary(seen)).toMatchObject({ Degraded: 'True/KeepingPrevious', Applied: 'False/NotCompiled' });
    expect(seen.status?.output).toMatchObject({ configMap: metadata.name, generation: 1 });
    expect((await output(metadata.name))?.metadata.uid).toBe(metadata.uid);
  });

  it('goes with its bundle', async () => {
    await apply('gone', inline(toolRule));
    const { metadata } = await outputOf('gone');
    await remove('policybundle', 'gone');
    await configMapGone(site.kubectl, namespace, metadata.name);
  });
});

describe('a ConfigMap', () => {
  it('of somebody else with the name of our output is named, and never touched', async () => {
    await apply('contested', { id: 'contested', ...inline(toolRule) });
    const { name } = (await outputOf('contested')).metadata;
    await remove('policybundle', 'contested');
    await configMapGone(site.kubectl, namespace, name);
    await site.kubectl.apply([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { theirs: 'x' } },
    ]);
    const before = await output(name);
    await apply('contested', { id: 'contested', ...inline(toolRule) });
    const seen = await reason('contested', 'OwnershipConflict');
    expect(conditionOf(seen, 'Applied')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(`ConfigMap ${name} exists and is not ours`),
    });
    expect(seen.status?.output).toBeUndefined();
    const after = await output(name);
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    await remove('configmap', name);
    await ready('contested');
    expect((await output(name))?.immutable).toBe(true);
  });

  it('of ours that somebody has deleted is there again at the next look', async () => {
    await apply('restored', inline(toolRule));
    const { metadata, data } = await outputOf('restored');
    await remove('configmap', metadata.name);
    await waitForBundle(
      site.kubectl,
      { namespace, name: 'restored' },
      (seen) => conditionOf(seen, 'Degraded')?.reason === 'DriftRestored',
    );
    expect(await output(metadata.name)).toMatchObject({ immutable: true, data });
    expect((await ready('restored')).status?.output?.uid).not.toBe(metadata.uid);
    // What was restored is shown for a minute: taken back while another test counts writes, it would be one.
    await remove('policybundle', 'restored');
  });
});

describe('rules in a ConfigMap', () => {
  const text = JSON.stringify({ rules: [toolRule] }, null, 2);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const tools = (name: string, content: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { 'bundle.json': content },
  });
  const referring = (name: string, digest = sha256) => ({
    source: { configMapRef: { name, key: 'bundle.json', sha256: digest } },
  });

  it('are compiled when they are what was meant, and change nothing when they are laid out otherwise', async () => {
    await site.kubectl.apply([tools('rules', text)]);
    await apply('referring', referring('rules'));
    await apply('standing', inline(toolRule));
    expect((await outputOf('referring')).data).toEqual((await outputOf('standing')).data);
  });

  it('are refused when they are not, and compiled once they are', async () => {
    await site.kubectl.apply([tools('other-rules', text.replace('Allow', 'Deny'))]);
    await apply('mistaken', referring('other-rules'));
    const seen = await reason('mistaken', 'DependencyMissing');
    expect(conditionOf(seen, 'Ready')?.message).toMatch(/^ConfigMap other-rules: key bundle.json has another SHA-256/);
    expect(seen.status?.output).toBeUndefined();
    await site.kubectl.apply([tools('other-rules', text)]);
    await ready('mistaken');
  });

  it('say where they are wrong, and nothing of what they say', async () => {
    const wrong = text.replace('get_issue', 'TOP SECRET');
    await site.kubectl.apply([tools('wrong-rules', wrong)]);
    await apply('wrong', referring('wrong-rules', createHash('sha256').update(wrong).digest('hex')));
    const seen = await reason('wrong', 'InvalidPolicy');
    expect(conditionOf(seen, 'Accepted')?.message).toMatch(
      /^ConfigMap wrong-rules: key bundle.json: rules\[0\]\.tools\[0\]: /,
    );
    const events = await site.kubectl.run('get', 'events', '-n', namespace, '-o', 'json');
    for (const told of [JSON.stringify(seen.status), events, operator.logs()]) expect(told).not.toContain('TOP SECRET');
  });

  it('are missed when they go: the output stays, and the bundle is not Ready', async () => {
    await site.kubectl.apply([tools('passing-rules', text)]);
    await apply('left', referring('passing-rules'));
    const { metadata } = await outputOf('left');
    await remove('configmap', 'passing-rules');
    const seen = await reason('left', 'DependencyMissing');
    expect(summary(seen)).toMatchObject({ Degraded: 'True/KeepingPrevious' });
    expect((await output(metadata.name))?.metadata.uid).toBe(metadata.uid);
  });
});

describe('the size', () => {
  const owner = { kind: 'PolicyBundle', namespace, name: 'size', uid: 'u' };
  const rulesOf = (count: number): ToolRule[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `r${i}`,
      effect: 'Ask',
      server: 's',
      tools: Array.from({ length: 64 }, (_, j) => `${i}-${j}-`.padEnd(128, 'x')),
    }));
  /** Of 1 to 256, by halving. */
  const mostThat = (holds: (count: number) => boolean, low = 1, high = 256): number => {
    if (low === high) return low;
    const middle = Math.ceil((low + high) / 2);
    return holds(middle) ? mostThat(holds, middle, high) : mostThat(holds, low, middle - 1);
  };
  const fits = (count: number) =>
    compileBundle({ owner, profile: 'research', rules: rulesOf(count), targets: ['Cedar', 'JSON'] }).kind ===
    'Compiled';

  it('is as much as the API server takes, and one rule more is told before it is asked', async () => {
    const most = mostThat(fits);
    await apply('largest', { ...inline(...rulesOf(most)), targets: ['Cedar', 'JSON'] });
    const { data } = await outputOf('largest');
    const bytes = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
    expect(bytes).toBeGreaterThan(MAX_DATA_BYTES * 0.95);
    const from = await auditMark(controlPlaneOfWorker());
    await apply('too-large', { ...inline(...rulesOf(most + 1)), targets: ['Cedar', 'JSON'] });
    const seen = await reason('too-large', 'CompilationFailed');
    expect(conditionOf(seen, 'Compiled')?.message).toContain('of 1048576 that a ConfigMap can have');
    expect(auditCounts(auditMatching(await requestsBetween(from), { verb: 'create' }))).toEqual({});
  });
});

describe('idle', () => {
  it('the operator looks at what it does not watch, and writes nothing', async () => {
    const from = await auditMark(controlPlaneOfWorker());
    const { name } = (await outputOf('works')).metadata;
    await waitFor('three more looks at one output', { timeoutMs: 30_000, intervalMs: 500 }, async () => {
      const looks = auditMatching(await requestsBetween(from), { verb: 'get', resource: 'configmaps', name });
      return looks.length >= 3 ? { done: true, value: undefined } : { done: false, saw: `${looks.length}` };
    });
    const writes = auditMatching(await requestsBetween(from), { verb: WRITES });
    expect(writes.map((each) => [each.verb, each.objectRef?.name, each.responseStatus?.code])).toEqual([]);
  });

  it('and restarted it lists bundles once, and no ConfigMap', async () => {
    expect(await operator.stop()).toBe(0);
    const from = await auditMark(controlPlaneOfWorker());
    operator = await site.startOperator();
    await apply('after-restart', inline(toolRule));
    await ready('after-restart');
    expect(auditCounts(auditMatching(await requestsBetween(from), { verb: ['list', 'watch'] }))).toEqual({
      'list agentplane.dev/policybundles': 1,
    });
    const writes = auditMatching(await requestsBetween(from), { verb: WRITES });
    expect(auditCounts(writes)).toEqual({ 'create configmaps': 1, 'patch agentplane.dev/policybundles/status': 1 });
  });

  it('and hears of the last pod that used an older output, without a look', async () => {
    await apply('heard', inline(toolRule));
    const older = (await outputOf('heard')).metadata.name;
    await site.kubectl.apply([podUsing('listener', older)]);
    await apply('heard', inline({ ...toolRule, tools: ['get_issue'] }));
    const { status } = await waitForBundle(
      site.kubectl,
      { namespace, name: 'heard' },
      (seen) => seen.status?.superseded?.[0]?.configMap === older,
    );
    // Past the look at what has just been superseded: the next one is due in minutes.
    const since = Date.parse(status?.superseded?.[0]?.since ?? '');
    await waitUntil('that look to be over', { timeoutMs: 30_000, intervalMs: 200 }, async () => {
      return Date.now() > since + SUPERSEDED_MIN_MS + 3000;
    });
    expect(await output(older)).toBeDefined();
    await remove('pod', 'listener');
    await configMapGone(site.kubectl, namespace, older);
  }, 90_000);
});
