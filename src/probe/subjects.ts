/** Who takes part in a run. Each canary has an account and a label of its own: policies add up by either. */
import { PROFILE_LABEL } from '../api/meta.ts';

/** One canary each, behind the floor and a compiled policy. */
export const POLICY_SUBJECTS = [
  'workloads',
  'ports-range',
  'cidr',
  'cidr-except',
  'dns-resolver',
  'dns-filter',
  'domain-exact',
  'domain-one-label',
  'domain-any-depth',
  'kube-api-server',
  'family-ipv4',
  'family-ipv6',
] as const;
export type PolicySubject = (typeof POLICY_SUBJECTS)[number];

/** `control` stands outside of every policy, `floor` behind nothing but the floor. `target` and `other` are what is tried. */
export const SUBJECTS = ['target', 'other', 'control', 'floor', ...POLICY_SUBJECTS] as const;
export type Subject = (typeof SUBJECTS)[number];

const PREFIX = 'agentplane-canary';

/** The label that tells the pods of a run apart; policies open workloads by it. */
export const CANARY_LABEL = 'agentplane.dev/canary';
/** The NetworkPolicy that stands for the floor. */
export const CANARY_FLOOR = `${PREFIX}-floor`;

/** The ServiceAccount of the canary. The chart renders one for each. */
export function accountOf(subject: Subject): string {
  return `${PREFIX}-${subject}`;
}

/** The RuntimeProfile that it would have. */
export function profileOf(subject: Subject): string {
  return `canary-${subject}`;
}

/** The name of the canary's policy. */
export function policyOf(subject: PolicySubject): string {
  return `${PREFIX}-${subject}`;
}

/** How many pods behind the floor begin at once, and how often that is done until one of them began in time. */
export const FLOOR_PODS = 3;
const FLOOR_ROUNDS = 3;

/** The names of the canary's pods. Behind the floor there are several rounds of them, of which the first may be enough. */
export function podsOf(subject: Subject): readonly string[] {
  const name = `${PREFIX}-${subject}`;
  if (subject !== 'floor') return [name];
  return Array.from({ length: FLOOR_PODS * FLOOR_ROUNDS }, (_, index) => `${name}-${index + 1}`);
}

/** The first pod of a run. Its name is the lock: there is one run at a time. */
export const ANCHOR = `${PREFIX}-target`;

export function labelsOf(subject: Subject): Readonly<Record<string, string>> {
  const governed = subject !== 'target' && subject !== 'other' && subject !== 'control';
  return { [CANARY_LABEL]: subject, ...(governed ? { [PROFILE_LABEL]: profileOf(subject) } : {}) };
}
