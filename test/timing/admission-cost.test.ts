/** What admission costs: pods are created with every policy bound, and with none, turn by turn in one run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { pod } from '../api/admission/pod.ts';
import { type AdmissionSite, admissionSite, removePolicies, TENANT, writeStatus } from '../api/admission/site.ts';
import { API, PROFILE } from '../support/policies.ts';

const GOVERNED = 'cost';
const CROWDED = 'cost-crowded';
const BARE = 'cost-bare';
const PROFILES = 200;
const BINDINGS = 5;
const SAMPLES = 80;
/** As docs/admission.md publishes them: how much longer a pod create takes, as a ratio of medians. */
const PUBLISHED = { few: 2.5, crowded: 40 };

let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED, CROWDED], bare: [BARE] });
  await crowd();
}, 300_000);

afterAll(() => removePolicies(site));

const agentplane = (plural: string) => `/apis/agentplane.dev/v1alpha1/namespaces/${CROWDED}/${plural}`;

async function post(path: string, body: object): Promise<void> {
  const { status, body: answer } = await site.api({ method: 'POST', path, body });
  if (status >= 300) throw new Error(`${path}: ${answer.message}`);
}

/** 200 profiles with 5 bindings each, those of the profile that is measured in force. */
async function crowd(): Promise<void> {
  const profiles = Array.from({ length: PROFILES - 2 }, (_, i) => `crowd-${i}`);
  for (const name of profiles) {
    const spec = { serviceAccountName: name };
    await post(agentplane('runtimeprofiles'), { apiVersion: API, kind: 'RuntimeProfile', metadata: { name }, spec });
  }
  for (const profile of [PROFILE, ...profiles]) {
    for (let i = 0; i < BINDINGS; i += 1) await bind(profile, i);
  }
  await waitFor('the bindings to be known', { timeoutMs: 30_000, intervalMs: 100 }, async () => {
    const said = await create(CROWDED, 'first');
    return said === '' ? { done: true, value: undefined } : { done: false, saw: said };
  });
}

async function bind(profile: string, i: number): Promise<void> {
  const name = `${profile}-${i}`;
  const spec = { profileRef: { name: profile }, secretRef: { name }, keys: ['token'], exposure: 'AgentReadable' };
  await post(agentplane('secretbindings'), { apiVersion: API, kind: 'SecretBinding', metadata: { name }, spec });
  if (profile !== PROFILE) return;
  const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 1 };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  await writeStatus(site.api, `${agentplane('secretbindings')}/${name}`, {
    observedGeneration: 1,
    conditions: [{ ...condition, lastTransitionTime }],
  });
}

/** What stood in the way of a pod; nothing when it was made. */
async function create(namespace: string, name: string): Promise<string> {
  const body = pod(namespace, name);
  const { status, body: answer } = await site.api(
    { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body },
    TENANT,
  );
  return status === 201 ? '' : String(answer.message);
}

async function timed(namespace: string, name: string): Promise<number> {
  const began = performance.now();
  expect(await create(namespace, name)).toBe('');
  return performance.now() - began;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it(`a pod create takes at most ${PUBLISHED.few} times as long as without, and ${PUBLISHED.crowded} times beside ${PROFILES} profiles`, async () => {
  const times: Record<string, number[]> = { [BARE]: [], [GOVERNED]: [], [CROWDED]: [] };
  for (let i = 0; i < SAMPLES; i += 1) {
    for (const [namespace, samples] of Object.entries(times)) samples.push(await timed(namespace, `pod-${i}`));
  }
  const [bare, few, crowded] = [BARE, GOVERNED, CROWDED].map((namespace) => median(times[namespace] ?? []));
  const ms = (value = 0) => `${value.toFixed(1)} ms`;
  const ratio = (value = 0) => (value / (bare ?? 1)).toFixed(2);
  console.log(
    `a pod create, median of ${SAMPLES}: ${ms(bare)} without policies; ${ms(few)} with all (${ratio(few)}); ` +
      `${ms(crowded)} beside ${PROFILES} profiles with ${BINDINGS} bindings each (${ratio(crowded)})`,
  );
  expect((few ?? 0) / (bare ?? 1)).toBeLessThanOrEqual(PUBLISHED.few);
  expect((crowded ?? 0) / (bare ?? 1)).toBeLessThanOrEqual(PUBLISHED.crowded);
}, 180_000);
