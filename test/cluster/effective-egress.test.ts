/**
 * The judge of effective egress against packets: many sets of policies, each about a pod of its own, and for each pod everything that it
 * may or may not reach. What the judge says and what happens is the same.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSIONS } from '../../scripts/clusters/versions.ts';
import { type Look, waitFor } from '../../scripts/lib/wait-for.ts';
import { decide } from '../../src/effective/decide.ts';
import { effectiveEgress } from '../../src/effective/evaluate.ts';
import type { Outcome } from './support/effective-attempts.ts';
import { type Trial, trialsOf } from './support/effective-flows.ts';
import {
  labelsOf,
  openScene,
  probe,
  type Scene,
  SUBJECTS_NAMESPACE,
  teachNames,
  waitForPolicies,
} from './support/effective-scene.ts';
import { type DraftSet, objectsOf, type PolicyObject, policySets } from './support/effective-sets.ts';

const PODS = 13;
const ROUNDS = [0, 1, 2, 3, 4] as const;
const SUBJECTS = Array.from({ length: PODS }, (_, index) => `subject-${String(index).padStart(2, '0')}`);
const ROUND_LABEL = 'effective-round';
const SETTLES = { timeoutMs: 15_000, intervalMs: 500 };

let scene: Scene;
let trials: readonly Trial[];
let sets: readonly DraftSet[];
/** Of each set that was tried, what came of every attempt. */
const seen: (readonly Outcome[])[] = [];

beforeAll(async () => {
  scene = await openScene(SUBJECTS);
  trials = trialsOf(scene.places);
  const network = scene.places.targets.addresses.api.replace(/[0-9]+$/, '');
  sets = policySets(PODS * ROUNDS.length, (last) => `${network}${last}`);
});

afterAll(() => scene?.close());

interface Case {
  readonly subject: string;
  readonly drafts: DraftSet;
  readonly objects: readonly PolicyObject[];
  readonly expected: readonly Outcome[];
}

function casesOf(round: number): readonly Case[] {
  return SUBJECTS.map((subject, index) => {
    const drafts = sets[round * PODS + index] ?? [];
    const owner = {
      namespace: SUBJECTS_NAMESPACE,
      subject,
      prefix: `ef${round}-${subject}`,
      labels: { [ROUND_LABEL]: `${round}` },
    };
    const objects = objectsOf(drafts, owner);
    return { subject, drafts, objects, expected: judge(subject, objects) };
  });
}

function judge(subject: string, objects: readonly PolicyObject[]): readonly Outcome[] {
  const egress = effectiveEgress(
    { namespace: SUBJECTS_NAMESPACE, labels: labelsOf(subject), serviceAccountName: subject },
    {
      networkPolicies: objects.filter(({ kind }) => kind === 'NetworkPolicy'),
      ciliumPolicies: objects.filter(({ kind }) => kind === 'CiliumNetworkPolicy'),
    },
    { provider: 'cilium', version: VERSIONS.cilium, namespaces: scene.namespaces },
  );
  return trials.map(({ flow }) => (decide(egress, flow).allowed ? 'open' : 'shut'));
}

/** Puts the policies in the place of those of the rounds before. */
async function enforce(round: number, cases: readonly Case[]): Promise<void> {
  const others = ['-n', SUBJECTS_NAMESPACE, '-l', `${ROUND_LABEL}!=${round}`];
  await Promise.all([
    scene.kubectl.apply(cases.flatMap(({ objects }) => objects)),
    scene.kubectl.run('delete', 'networkpolicy,ciliumnetworkpolicy', ...others, '--ignore-not-found', '--wait'),
  ]);
  const taken = cases.flatMap(({ drafts, objects }) => objects.filter((_, index) => drafts[index]?.refused !== true));
  await waitForPolicies(
    scene.kubectl,
    'ef',
    taken.map(({ metadata }) => metadata.name),
  );
}

/**
 * Tries until whatever is to answer does, since what a name leads to follows the policy by a moment. What is to be shut has no such
 * grace: one answer ends it.
 */
function observe({ subject, objects, expected }: Case): Promise<readonly Outcome[]> {
  const attempts = trials.map(({ attempt }) => attempt);
  const what = `${subject} under ${JSON.stringify(objects)}`;
  return waitFor(what, SETTLES, async (): Promise<Look<readonly Outcome[]>> => {
    const outcomes = await probe(scene.kubectl, { namespace: SUBJECTS_NAMESPACE, name: subject }, attempts);
    const late = trials.filter((_, index) => expected[index] === 'open' && outcomes[index] !== 'open');
    const leaks = outcomes.some((outcome, index) => outcome === 'open' && expected[index] === 'shut');
    if (late.length === 0 || leaks) return { done: true, value: outcomes };
    await teachNames(scene);
    return { done: false, saw: `shut: ${late.map(({ title }) => title).join()}` };
  });
}

function told(outcomes: readonly Outcome[]): Readonly<Record<string, string>> {
  return Object.fromEntries(trials.map(({ title }, index) => [title, outcomes[index] ?? 'not tried']));
}

describe('what the judge says of a pod is what its packets find', () => {
  it.each(ROUNDS)('round %i', async (round) => {
    const cases = casesOf(round);
    await enforce(round, cases);
    await teachNames(scene);
    const results = await Promise.all(cases.map(async (one) => ({ ...one, outcomes: await observe(one) })));
    for (const { subject, objects, expected, outcomes } of results) {
      expect(told(outcomes), `${subject} under ${JSON.stringify(objects)}`).toEqual(told(expected));
      seen.push(outcomes);
    }
  });

  it('was seen of at least 60 sets, of which most leave something open and something shut', () => {
    const count = (outcome: Outcome) => seen.flat().filter((one) => one === outcome).length;
    const mixed = seen.filter((outcomes) => outcomes.includes('open') && outcomes.includes('shut'));
    expect(seen.length).toBeGreaterThanOrEqual(60);
    expect(mixed.length).toBeGreaterThanOrEqual(40);
    console.log(
      `effective egress: ${seen.length} sets, ${seen.flat().length} probes, ${count('open')} allowed, ${count('shut')} denied`,
    );
  });
});
