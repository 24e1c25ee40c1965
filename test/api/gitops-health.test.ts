/** What Argo CD and Flux show of each state, by their own programs, on objects of an API server and an operator. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import type { Observable } from '../../src/api/active.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { bundle, inline, toolRule } from '../support/bundles.ts';
import { type HealthReaders, healthReaders } from '../support/health-readers.ts';
import { cidrRule, domainRule, policy, resolver } from '../support/policies.ts';
import { profileWith, secretBinding } from '../support/profiles.ts';
import { type GovernedSite, startGovernedSite } from './support/governed-site.ts';

const namespace = 'gitops-health';
const FOLDER = path.join(REPOSITORY, 'docs/gitops/argo-cd');
const script = await readFile(path.join(FOLDER, 'health.lua'), 'utf8');
let site: GovernedSite;
let readers: HealthReaders;

beforeAll(async () => {
  [site, readers] = await Promise.all([
    startGovernedSite(namespace, { secrets: ['there', 'missing'] }),
    healthReaders(script),
  ]);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'there', namespace } };
  await site.kubectl.apply([{ ...secret, stringData: { token: 'x' } }]);
});

afterAll(async () => {
  await site.stop();
  await readers.remove();
});

const WORKS = { dns: resolver, allow: [domainRule, cidrRule] };
/** What no provider can do. */
const IMPOSSIBLE = { ...WORKS, require: { domainAssurance: 'TLSServerName' } };

/** Waits until `Ready` of the newest generation is `status/reason`. */
function state(kind: string, name: string, ready: string): Promise<KubeObject> {
  return waitFor(`${kind} ${name} to be ${ready}`, { timeoutMs: 30_000, intervalMs: 50 }, async () => {
    const seen = await site.kubectl.get<KubeObject>(kind, '-n', namespace, name);
    const { generation } = seen?.metadata ?? {};
    const conditions = (seen as Observable | undefined)?.status?.conditions ?? [];
    const found = conditions.find((each) => each.type === 'Ready' && each.observedGeneration === generation);
    if (seen !== undefined && `${found?.status}/${found?.reason}` === ready) return { done: true, value: seen };
    return { done: false, saw: JSON.stringify(conditions) };
  });
}

/** As both tools see it: `Argo CD/kstatus`. */
async function health(object: KubeObject): Promise<string> {
  return `${(await readers.argo(object)).status}/${(await readers.kstatus(object)).status}`;
}

async function current(kind: string, name: string): Promise<KubeObject> {
  const seen = await site.kubectl.get<KubeObject>(kind, '-n', namespace, name);
  if (seen === undefined) throw new Error(`there is no ${kind} ${name}`);
  return seen;
}

/** What happens while no operator runs. */
async function unseen(change: () => Promise<unknown>): Promise<void> {
  await site.operator.stop();
  await change();
}

describe('an EgressPolicy', () => {
  it('that is in force is healthy; a newer generation that nobody has judged is not', async () => {
    await site.applyPolicy('works', WORKS);
    expect(await health(await state('egresspolicy', 'works', 'True/Ready'))).toBe('Healthy/Current');
    await unseen(() => site.applyPolicy('works', { ...WORKS, allow: [cidrRule] }));
    const lagging = await current('egresspolicy', 'works');
    expect(lagging.metadata.generation).toBe(2);
    expect(await health(lagging)).toBe('Progressing/InProgress');
    expect((await readers.argo(lagging)).message).toBe('generation 2 has not been judged yet');
    await site.applyPolicy('new', WORKS);
    expect(await health(await current('egresspolicy', 'new'))).toBe('Progressing/InProgress');
    await site.operator.start();
    expect(await health(await state('egresspolicy', 'works', 'True/Ready'))).toBe('Healthy/Current');
    expect(await health(await state('egresspolicy', 'new', 'True/Ready'))).toBe('Healthy/Current');
  });

  it('that is refused is degraded, with the reason, also while an older generation stays in force', async () => {
    await site.applyPolicy('refused', IMPOSSIBLE);
    const refused = await state('egresspolicy', 'refused', 'False/UnsupportedProvider');
    expect(await health(refused)).toBe('Degraded/InProgress');
    expect((await readers.argo(refused)).message).toMatch(/^UnsupportedProvider: .*domain\.tlsServerName/);
    expect((await readers.kstatus(refused)).message).toContain('domain.tlsServerName');
    await site.applyPolicy('works', IMPOSSIBLE);
    const kept = await state('egresspolicy', 'works', 'False/UnsupportedProvider');
    expect(await health(kept)).toBe('Degraded/InProgress');
  });

  it('whose profile is not there yet is waited for, and healthy once it is', async () => {
    await site.applyPolicy('early', { ...WORKS, profileRef: { name: 'late' } });
    const early = await state('egresspolicy', 'early', 'False/DependencyMissing');
    expect(await health(early)).toBe('Progressing/InProgress');
    await site.kubectl.apply([profileWith({ namespace, name: 'late' })]);
    expect(await health(await state('egresspolicy', 'early', 'True/Ready'))).toBe('Healthy/Current');
  });

  it('that is paused while somebody has changed its output is suspended', async () => {
    const until = new Date(Date.now() + 600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    await site.applyPolicy('paused', { ...WORKS, pause: { reason: 'a look at the network', until } });
    const output = await site.outputOf('paused');
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, output);
    expect(await health(await state('egresspolicy', 'paused', 'False/DriftAccepted'))).toBe('Suspended/InProgress');
  });

  it('of which nothing can be said is waited for', async () => {
    await site.inventory.stop();
    await site.kubectl.run('delete', 'capabilityreports', '--all', '-A');
    await site.applyPolicy('blind', WORKS);
    expect(await health(await state('egresspolicy', 'blind', 'Unknown/InventoryMissing'))).toBe(
      'Progressing/InProgress',
    );
    await site.inventory.start();
    expect(await health(await state('egresspolicy', 'blind', 'True/Ready'))).toBe('Healthy/Current');
  });

  it('that is being deleted is waited for', async () => {
    await site.applyPolicy('goes', WORKS);
    await state('egresspolicy', 'goes', 'True/Ready');
    await site.patch({ kind: 'egresspolicy', name: 'goes' }, { metadata: { finalizers: ['example.com/wait'] } });
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'goes', '--wait=false');
    expect(await health(await current('egresspolicy', 'goes'))).toBe('Progressing/Terminating');
    await site.patch({ kind: 'egresspolicy', name: 'goes' }, { metadata: { finalizers: null } });
  });
});

describe('the other kinds', () => {
  it('a RuntimeProfile is waited for until its policies are in force', async () => {
    await site.kubectl.apply([profileWith({ namespace, name: 'alone' }, { requires: { egress: 'Applied' } })]);
    expect(await health(await state('runtimeprofile', 'alone', 'False/DependencyMissing'))).toBe(
      'Progressing/InProgress',
    );
    await site.kubectl.apply([policy(namespace, 'for-alone', { ...WORKS, profileRef: { name: 'alone' } })]);
    expect(await health(await state('runtimeprofile', 'alone', 'True/Ready'))).toBe('Healthy/Current');
  });

  it('a SecretBinding is waited for until its Secret is there, and degraded where it is not valid', async () => {
    await site.kubectl.apply([secretBinding({ namespace, name: 'early' }, { secretRef: { name: 'missing' } })]);
    expect(await health(await state('secretbinding', 'early', 'False/DependencyMissing'))).toBe(
      'Progressing/InProgress',
    );
    await site.kubectl.apply([secretBinding({ namespace, name: 'bound' }, { secretRef: { name: 'there' } })]);
    expect(await health(await state('secretbinding', 'bound', 'True/Ready'))).toBe('Healthy/Current');
    await site.kubectl.apply([secretBinding({ namespace, name: 'unlisted' }, { secretRef: { name: 'unlisted' } })]);
    const unlisted = await state('secretbinding', 'unlisted', 'Unknown/DependencyNotReadable');
    expect(await health(unlisted)).toBe('Progressing/InProgress');
  });

  it('a PolicyBundle is healthy, or waited for until its rules are there', async () => {
    await site.kubectl.apply([bundle(namespace, 'tools', inline(toolRule))]);
    expect(await health(await state('policybundle', 'tools', 'True/Ready'))).toBe('Healthy/Current');
    const source = { configMapRef: { name: 'absent', key: 'rules.json', sha256: '0'.repeat(64) } };
    await site.kubectl.apply([bundle(namespace, 'early', { source })]);
    expect(await health(await state('policybundle', 'early', 'False/DependencyMissing'))).toBe(
      'Progressing/InProgress',
    );
  });
});

it('the settings of Argo CD hold this check for each kind that has conditions', async () => {
  const { data } = parse(await readFile(path.join(FOLDER, 'argocd-cm.yaml'), 'utf8')) as {
    data: Record<string, string>;
  };
  const ours = Object.entries(data).filter(([key]) => key.includes('agentplane.dev_'));
  expect(ours.map(([key]) => key.split('_')[1]).sort()).toEqual([
    'EgressPolicy',
    'PolicyBundle',
    'RuntimeProfile',
    'SecretBinding',
  ]);
  expect(new Set(ours.map(([, text]) => text))).toEqual(new Set([script]));
});
