import { boundedText } from '../kube/text.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A judgement, before it is known since when it holds. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase, machine-readable. */
  readonly reason: string;
  readonly message: string;
}

/** `metav1.Condition`. */
export interface Condition extends ObservedCondition {
  readonly observedGeneration: number;
  /** RFC 3339 in whole seconds, as `metav1.Time` writes it. */
  readonly lastTransitionTime: string;
}

/** In UTF-8 bytes. API conventions allow 32 KiB; nobody reads that, and foreign text is quoted in it. */
export const MAX_CONDITION_MESSAGE_BYTES = 1024;

/**
 * The condition list in which `next` has the place of the condition of its type. `lastTransitionTime` moves only when the status does, and
 * never backwards: a clock that was set back must not make a condition look older than the one before.
 */
export function setCondition(
  previous: readonly Condition[],
  next: ObservedCondition & { readonly observedGeneration: number },
  now: Date,
): Condition[] {
  const existing = previous.find((condition) => condition.type === next.type);
  const condition = transitioned(existing, next, now);
  return existing === undefined
    ? [...previous, condition]
    : previous.map((candidate) => (candidate === existing ? condition : candidate));
}

export interface BuildConditionsInput {
  /** What the status holds now; used only for transition times. */
  readonly previous: readonly Condition[];
  /** One per type; a type that is left out is not in the result. */
  readonly observed: readonly ObservedCondition[];
  /** `metadata.generation` of the spec that was judged. */
  readonly generation: number;
  readonly now: Date;
}

/** All conditions for one generation. None is carried over: a condition that was not judged this time does not stand. */
export function buildConditions(input: BuildConditionsInput): Condition[] {
  const types = new Set(input.observed.map((condition) => condition.type));
  if (types.size !== input.observed.length) {
    throw new RangeError('a condition type was observed twice in one reconcile');
  }
  return input.observed.map((observed) => {
    const existing = input.previous.find((condition) => condition.type === observed.type);
    return transitioned(existing, { ...observed, observedGeneration: input.generation }, input.now);
  });
}

/**
 * `Ready` as the first of `orderedTypes` that is not True says it; True when all are. A type that was not observed stands in the way as
 * Unknown: what nobody looked at is not ready.
 */
export function summarizeReady(
  conditions: readonly ObservedCondition[],
  orderedTypes: readonly string[],
): ObservedCondition {
  for (const type of orderedTypes) {
    const condition = conditions.find((candidate) => candidate.type === type);
    if (condition === undefined) {
      return { type: 'Ready', status: 'Unknown', reason: 'NotObserved', message: `${type} has not been observed` };
    }
    if (condition.status !== 'True') {
      return { type: 'Ready', status: condition.status, reason: condition.reason, message: condition.message };
    }
  }
  return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
}

function transitioned(
  existing: Condition | undefined,
  next: ObservedCondition & { readonly observedGeneration: number },
  now: Date,
): Condition {
  const { type, status, reason, observedGeneration } = next;
  const message = boundedText(next.message, MAX_CONDITION_MESSAGE_BYTES);
  return {
    type,
    status,
    observedGeneration,
    lastTransitionTime: transitionTime(existing, status, now),
    reason,
    message,
  };
}

function transitionTime(existing: Condition | undefined, status: ConditionStatus, now: Date): string {
  const time = wholeSeconds(now);
  if (existing === undefined) {
    return time;
  }
  if (existing.status === status) {
    return existing.lastTransitionTime;
  }
  return Date.parse(existing.lastTransitionTime) > now.getTime() ? existing.lastTransitionTime : time;
}

/** RFC 3339, as `metav1.Time` writes it. */
export function wholeSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
