/** The whole chain, with a real operator: an update that cannot be applied closes admission, with its generation and the reason. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachEmbedded } from '../../../scripts/clusters/embedded/control-plane.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import {
  API,
  cidrRule,
  conditionOf,
  domainRule,
  type PolicyObject,
  PROFILE,
  policy,
  resolver,
  waitForReady,
  waitForReason,
} from '../../support/policies.ts';
import { type Running, startCommand } from '../../support/process.ts';
import { stageCilium } from '../../support/staged-cilium.ts';
import { installCiliumCrd } from '../../support/without-nodes.ts';
import { pod, strictProfile } from './pod.ts';
import { type AdmissionSite, admissionSite, INSTALL_NAMESPACE, removePolicies, TENANT } from './site.ts';

const GOVERNED = 'chain';
const POLICY = 'egress';
let site: AdmissionSite;
let inventory: Running;
let operator: Running;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED] });
  const controlPlane = await attachEmbedded(controlPlaneOfWorker().folder);
  await installCiliumCrd({ kubectl: site.kubectl, controlPlane });
  // CIDR rules work, names do not.
  await stageCilium(site.kubectl, { config: { 'enable-l7-proxy': 'false' } });
  await site.kubectl.run('create', 'secret', 'generic', 'model-key', '-n', GOVERNED, '--from-literal=token=canary');
  inventory = await start('inventory', ['--interval-seconds', '1', '--runtime-classes', 'sandboxed']);
  operator = await startOperator();
}, 120_000);

afterAll(async () => {
  await operator?.stop();
  await inventory?.stop();
  await removePolicies(site);
});

const startOperator = () =>
  start('operator', [
    ...['--identity', `chain-${Date.now()}`],
    ...['--namespaces', GOVERNED],
    ...['--admission', 'true'],
  ]);

async function start(command: 'operator' | 'inventory', flags: readonly string[]): Promise<Running> {
  const controlPlane = await attachEmbedded(controlPlaneOfWorker().folder);
  const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: `agentplane-${command}` } as const;
  const common = ['--install-namespace', INSTALL_NAMESPACE, '--metrics-port', '0', '--health-port', '0'];
  return startCommand(command, [...common, ...flags], await controlPlane.kubeconfigFor(account));
}

/** What stands in the way of a pod; nothing where it is admitted. */
async function refusal(): Promise<string> {
  const path = `/api/v1/namespaces/${GOVERNED}/pods?dryRun=All`;
  const { status, body } = await site.api({ method: 'POST', path, body: pod(GOVERNED, 'p') }, TENANT);
  return status === 201 ? '' : String(body.message);
}

function eventually(expected: RegExp, timeoutMs = 20_000): Promise<string> {
  return waitFor(`a pod to meet ${expected}`, { timeoutMs, intervalMs: 50 }, async () => {
    const said = await refusal();
    return expected.test(said) ? { done: true, value: said } : { done: false, saw: said === '' ? 'admitted' : said };
  });
}

const ADMITTED = /^$/;
const apply = (...objects: readonly object[]) => site.kubectl.apply(objects);

async function generationOf(kind: string, name: string): Promise<number> {
  return (await site.kubectl.get<KubeObject>(kind, '-n', GOVERNED, name))?.metadata.generation ?? 0;
}

const binding = (keys: readonly string[]) => ({
  apiVersion: API,
  kind: 'SecretBinding',
  metadata: { name: 'model-key', namespace: GOVERNED },
  spec: { profileRef: { name: PROFILE }, secretRef: { name: 'model-key' }, keys, exposure: 'AgentReadable' },
});
const bundle = (effect: string) => ({
  apiVersion: API,
  kind: 'PolicyBundle',
  metadata: { name: 'tools', namespace: GOVERNED },
  spec: {
    profileRef: { name: PROFILE },
    source: { inline: { rules: [{ id: 'read', effect, server: 'github', tools: ['get_issue'] }] } },
  },
});

describe('a profile and its policy', () => {
  it('admit no pod before the policy is in force, and one after it', async () => {
    await eventually(/RuntimeProfile research: generation 1 admits no pod: .*EgressPolicy/);
    await apply(policy(GOVERNED, POLICY, { allow: [cidrRule] }));
    await waitForReady(site.kubectl, GOVERNED, POLICY);
    await eventually(ADMITTED);
  });

  it('let nothing in on an update that cannot be applied, and name its generation and the reason', async () => {
    await apply(policy(GOVERNED, POLICY, { dns: resolver, allow: [domainRule] }));
    await eventually(/generation 2/);
    const seen = await waitForReason(site.kubectl, { namespace: GOVERNED, name: POLICY }, 'UnsupportedProvider');
    // Policy and profile both keep the pod out by now, and the API server tells one of the two, whichever it is.
    expect(await eventually(/UnsupportedProvider/)).toMatch(/generation 2 is not in force: UnsupportedProvider/);
    expect(conditionOf(seen, 'Ready')?.message).toContain('model-api');
    expect(seen.status?.inForce?.generation).toBe(1);
    expect(seen.metadata.generation).toBe(2);
    expect(isReadyAnywhere(seen)).toBe(false);
    const profile = await waitFor('the profile to close', { timeoutMs: 10_000, intervalMs: 100 }, async () => {
      const object = await site.kubectl.get<PolicyObject>('runtimeprofile', '-n', GOVERNED, PROFILE);
      const status = object?.status as { admission?: { open?: boolean; message?: string } } | undefined;
      return object !== undefined && status?.admission?.open === false
        ? { done: true, value: { object, admission: status.admission } }
        : { done: false, saw: JSON.stringify(status) };
    });
    expect(isReadyAnywhere(profile.object)).toBe(false);
    expect(profile.admission.message).toMatch(/egress.*generation 2.*UnsupportedProvider/s);
  });

  it('let pods in again once the newest generation is in force', async () => {
    await apply(policy(GOVERNED, POLICY, { dns: resolver, allow: [cidrRule] }));
    await waitForReady(site.kubectl, GOVERNED, POLICY);
    await eventually(ADMITTED);
  });
});

function isReadyAnywhere(object: PolicyObject): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

describe('while no operator runs', () => {
  const { spec, ...rest } = strictProfile(GOVERNED);
  const newer = [
    ['EgressPolicy', 'egresspolicy', POLICY, () => policy(GOVERNED, POLICY, { dns: resolver, allow: [] })],
    ['SecretBinding', 'secretbinding', 'model-key', () => binding(['token', 'other'])],
    ['PolicyBundle', 'policybundle', 'tools', () => bundle('Deny')],
    [
      'RuntimeProfile',
      'runtimeprofile',
      PROFILE,
      () => ({ ...rest, spec: { ...spec, deletion: { timeoutSeconds: 5 } } }),
    ],
  ] as const;

  it.each(newer)(
    'a newer generation of its %s closes the profile, and the operator opens it again',
    async (kind, plural, name, change) => {
      await apply(binding(['token']), bundle('Allow'), policy(GOVERNED, POLICY, { dns: resolver, allow: [cidrRule] }), {
        ...rest,
        spec,
      });
      await eventually(ADMITTED);
      expect(await operator.stop()).toBe(0);
      expect(await refusal()).toBe('');
      const before = await generationOf(plural, name);
      await apply(change());
      expect(await generationOf(plural, name)).toBe(before + 1);
      expect(await eventually(new RegExp(`generation ${before + 1}`))).toMatch(
        new RegExp(`${kind} ${name}(,|:) generation ${before + 1} (has not been judged|is not in force)`),
      );
      operator = await startOperator();
      if (kind === 'SecretBinding') {
        // The key does not exist: what cannot be vouched for stays shut, with its reason.
        await eventually(new RegExp(`generation ${before + 1} is not in force: DependencyMissing: .*other`));
      } else {
        await eventually(ADMITTED);
      }
    },
  );
});
