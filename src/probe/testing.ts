/** Inputs for tests of the probe: settings and scenes that are complete, so that a test states only what it is about. */
import { factsFor } from '../compile/testing.ts';
import type { Scene, Settings } from './assertions.ts';
import type { CanaryRun } from './judge-check.ts';
import type { Outcome, Seen } from './observation.ts';
import { attemptsOf, checksOf, isCheck, planOf } from './plan.ts';
import { podsOf } from './subjects.ts';
import { NO_TARGETS, type Targets } from './targets.ts';
import { type Evidence, verdictOf } from './verdict.ts';

export const ALL_TARGETS: Targets = {
  allowed: [{ address: '203.0.113.10', family: 'IPv4', port: 443 }],
  denied: [{ address: '203.0.113.20', family: 'IPv4', port: 8443 }],
  allowedName: { name: 'api.example.com', port: 443 },
  deniedName: { name: 'evil.example.net', port: 443 },
  oneLabelName: { name: 'a.cdn.example.com', port: 443 },
  twoLabelName: { name: 'a.b.cdn.example.com', port: 443 },
  resolver: '198.51.100.53',
};

export function settingsWith(targets: Targets = ALL_TARGETS): Settings {
  return { targets, namespace: 'canaries', clusterDomain: 'cluster.local', apiServerPort: 6443 };
}

export function sceneWith(changed: Partial<Scene> = {}): Scene {
  return { ...settingsWith(), target: ['10.0.0.1'], other: ['10.0.0.2'], ...changed };
}

/** What a pod sees of an attempt, where it is not as on a cluster that enforces. Undefined: the pod did not run. */
export type See = (pod: string, text: string, usual: Outcome) => Partial<Seen> | undefined;

export interface StagedRun {
  readonly facts?: Parameters<typeof planOf>[1];
  readonly scene?: Partial<Scene>;
  readonly see?: See;
  readonly firstMs?: number;
  readonly unwritten?: Evidence['unwritten'];
}

/** The evidence of a run on a cluster that enforces everything, but for what `see` says. */
export function staged({
  facts = factsFor('cilium'),
  scene: changed,
  see,
  firstMs = 40,
  unwritten,
}: StagedRun): Evidence {
  const scene = sceneWith(changed);
  const plan = planOf(scene, facts);
  const items = checksOf(plan, scene);
  const checks = items.filter(isCheck);
  const runs = new Map<string, CanaryRun>();
  for (const [subject, attempts] of attemptsOf(checks)) {
    for (const pod of podsOf(subject).slice(0, 3)) {
      const seen = attempts.map((text): Seen | undefined => {
        const own = checks.find((check) => check.text === text && check.pods.includes(pod));
        const free = subject === 'control' || own?.expect === 'Through';
        const usual: Outcome = !free ? 'silent' : /^(tcp:[^#]*$|name:)/.test(text) ? 'connected' : 'answered';
        const addresses = text.startsWith('name:') ? [`192.0.2.${text.length}`] : [];
        const told = see === undefined ? {} : see(pod, text, usual);
        return told && { outcome: usual, atMs: 50, tries: 3, addresses, ...told };
      });
      const complete = seen.filter((item) => item !== undefined);
      const ran = complete.length === attempts.length;
      runs.set(pod, {
        node: `node-${pod.at(-1)}`,
        attempts,
        ...(ran ? { observation: { firstMs, families: ['IPv4'], seen: complete } } : { problem: 'ImagePullBackOff' }),
      });
    }
  }
  return { plan, checks: items, runs, unwritten: unwritten ?? new Map() };
}

/** The results by capability. */
export function resultsOf(run: StagedRun): Readonly<Record<string, string>> {
  const { capabilities } = verdictOf(staged(run));
  return Object.fromEntries(capabilities.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]));
}

export const withoutTargets = { targets: NO_TARGETS };
