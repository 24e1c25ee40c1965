/** One run: policies first, then the pods that are tried, then those that try. */
import type { Capability } from '../api/capability.ts';
import type { Facts } from '../compile/facts.ts';
import type { Settings } from './assertions.ts';
import { FLOOR } from './floor.ts';
import { type CanaryRun, EARLY_MS } from './judge-check.ts';
import { createLab, type Lab, type LabParts } from './lab.ts';
import { attemptsOf, checksOf, isCheck, type Plan, planOf } from './plan.ts';
import { addressesOf, canaryRun, hasEnded, isReady, problemOf } from './pod-status.ts';
import { canaryPod, type PodSettings, RUN_DEADLINE_SECONDS, targetPod } from './pods.ts';
import { FLOOR_PODS, podsOf, type Subject } from './subjects.ts';
import { type Evidence, type RunVerdict, verdictOf } from './verdict.ts';

export interface RunSettings extends Settings {
  readonly pods: PodSettings;
  /** How long pods may take to be there: nodes may have to pull the image. */
  readonly patienceMs: number;
}

/** Rejects with `KubeError` when the namespace cannot be used at all. */
export async function runProbe(settings: RunSettings, facts: Facts, parts: LabParts): Promise<RunVerdict> {
  const lab = createLab(settings.namespace, parts);
  const plan = planOf(settings, facts);
  await lab.begin(targetPod('target', settings.pods, []), RUN_DEADLINE_SECONDS * 1000 + settings.patienceMs);
  try {
    return verdictOf(await evidenceOf(plan, settings, lab));
  } finally {
    await lab.clear();
  }
}

async function evidenceOf(plan: Plan, settings: RunSettings, lab: Lab): Promise<Evidence> {
  const { pods: podSettings, patienceMs } = settings;
  await lab.createPod(targetPod('other', podSettings, lab.owners()));
  const unwritten = await writePolicies(plan, lab);
  const names = (['target', 'other'] as const).map((subject) => podsOf(subject)[0] ?? '');
  const pods = await lab.waitForPods((seen) => names.every((name) => isReadyIn(seen, name)), patienceMs);
  const [target, other] = names.map((name) => pods.get(name));
  const late = names.find((name) => !isReadyIn(pods, name));
  if (late !== undefined || target === undefined || other === undefined) {
    const pod = pods.get(late ?? '');
    return {
      plan: nothing(plan, pod === undefined ? 'a target is gone' : problemOf(pod)),
      checks: [],
      runs: new Map(),
      unwritten,
    };
  }
  const scene = { ...settings, target: addressesOf(target), other: addressesOf(other) };
  const checks = checksOf(plan, scene);
  const attempts = attemptsOf(checks.filter(isCheck));
  return { plan, checks, runs: await runCanaries(attempts, settings, lab), unwritten };
}

/** The floor, and the canaries' policies. Those that could not be written, by capability, and why. */
async function writePolicies(plan: Plan, lab: Lab): Promise<ReadonlyMap<Capability, string>> {
  const unwritten = new Map<Capability, string>();
  const floor = await lab.createPolicy(FLOOR);
  if (floor !== undefined) unwritten.set('isolation', floor);
  for (const { capability, objects } of plan.policies) {
    for (const object of objects) {
      const refusal = await lab.createPolicy(object);
      if (refusal !== undefined) unwritten.set(capability, refusal);
    }
  }
  return unwritten;
}

function isReadyIn(pods: Awaited<ReturnType<Lab['waitForPods']>>, name: string): boolean {
  const pod = pods.get(name);
  return pod !== undefined && isReady(pod);
}

/** Of what the cluster could do, nothing could be tried. */
function nothing(plan: Plan, message: string): Plan {
  const untried = [{ capability: 'isolation' as const }, ...plan.policies].map(({ capability }) => ({
    capability,
    result: 'Inconclusive' as const,
    reason: 'TargetNotReady',
    message,
  }));
  return { policies: [], withheld: [...plan.withheld, ...untried] };
}

type Attempts = ReadonlyMap<Subject, readonly string[]>;
type Runs = ReadonlyMap<string, CanaryRun>;

/** Those behind the floor come first, and alone: nothing else is to slow down the moments that count. */
async function runCanaries(attempts: Attempts, settings: RunSettings, lab: Lab): Promise<Runs> {
  const all = podsOf('floor');
  let floor: Runs = new Map();
  for (let from = 0; from < all.length && !isEarly(floor); from += FLOOR_PODS) {
    const round = all.slice(from, from + FLOOR_PODS).map((name) => ({ name, subject: 'floor' as const }));
    floor = new Map([...floor, ...(await runEach(round, { attempts, settings, lab }))]);
  }
  const rest = [...attempts.keys()].filter((subject) => subject !== 'floor');
  const others = rest.flatMap((subject) => podsOf(subject).map((name) => ({ name, subject })));
  return new Map([...floor, ...(await runEach(others, { attempts, settings, lab }))]);
}

function isEarly(runs: Runs): boolean {
  return [...runs.values()].some(({ observation }) => observation !== undefined && observation.firstMs <= EARLY_MS);
}

interface Canary {
  readonly name: string;
  readonly subject: Subject;
}

async function runEach(
  canaries: readonly Canary[],
  { attempts, settings, lab }: { readonly attempts: Attempts; readonly settings: RunSettings; readonly lab: Lab },
): Promise<Runs> {
  const refused = new Map<string, string>();
  for (const canary of canaries) {
    const tries = attempts.get(canary.subject) ?? [];
    try {
      await lab.createPod(canaryPod({ ...canary, settings: settings.pods, owners: lab.owners() }, tries));
    } catch (error) {
      refused.set(canary.name, error instanceof Error ? error.message : String(error));
    }
  }
  const waited = canaries.filter(({ name }) => !refused.has(name));
  const ended = (pods: Awaited<ReturnType<Lab['waitForPods']>>) =>
    waited.every(({ name }) => {
      const pod = pods.get(name);
      return pod === undefined || hasEnded(pod);
    });
  const pods = await lab.waitForPods(ended, settings.patienceMs);
  return new Map(
    canaries.map(({ name, subject }): [string, CanaryRun] => {
      const tries = attempts.get(subject) ?? [];
      const pod = pods.get(name);
      if (pod !== undefined) return [name, canaryRun(pod, tries)];
      return [name, { attempts: tries, problem: refused.get(name) ?? `pod ${name} is gone` }];
    }),
  );
}
