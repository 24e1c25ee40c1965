/** Tells what came of a reconcile: ONE status write, skipped when nothing changed, and Events. */
import type { Condition } from '../../api/conditions.ts';
import { EgressPolicy, type EgressPolicyStatus } from '../../api/egress-policy.ts';
import { canonicalJson } from '../../compile/canonical.ts';
import type { Client } from '../../kube/client.ts';
import { isKubeError } from '../../kube/errors.ts';
import type { Announce } from '../announce.ts';
import type { Drift } from '../drift.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { writeStatus } from '../write-status.ts';
import type { Loaded } from './load.ts';
import { describeRestored } from './status.ts';

/** What became of a change by somebody else. A closed set, for a metric label. */
export const DRIFT_OUTCOMES = ['restored', 'accepted', 'contested'] as const;
export type DriftOutcome = (typeof DRIFT_OUTCOMES)[number];

export interface Publication {
  readonly loaded: Loaded;
  /** Drift that was undone, also where something failed afterwards. */
  readonly restored: readonly Drift[];
  readonly status: EgressPolicyStatus;
}

export interface PublishContext {
  readonly client: Client;
  readonly cache: NamespaceCache;
  readonly signal: AbortSignal;
  readonly announce: Announce;
  readonly onDrift: (outcome: DriftOutcome) => void;
}

export async function publish(publication: Publication, context: PublishContext): Promise<void> {
  const { loaded, status, restored } = publication;
  // Before the status: a second restoration may leave it as it is, and is news all the same.
  for (const drift of restored) {
    context.onDrift('restored');
    const message = describeRestored(drift);
    context.announce(loaded.policy, 'Warning', { reason: 'DriftRestored', message });
  }
  if (canonicalJson(status) === canonicalJson(loaded.policy.status)) return;
  try {
    const write = { kind: EgressPolicy, object: loaded.policy, status, signal: context.signal };
    await writeStatus(write, context.client, context.cache.policies);
  } catch (error) {
    // The policy went away while it was reconciled: there is nobody left to tell.
    if (isKubeError(error, 'NotFound')) return;
    throw error;
  }
  announceReady(publication, context);
}

function announceReady({ loaded, status }: Publication, { announce, onDrift }: PublishContext): void {
  const before = readyOf(loaded.previousStatus);
  const after = readyOf(status);
  if (after === undefined || isSame(before, after)) return;
  announce(loaded.policy, after.status === 'True' ? 'Normal' : 'Warning', after);
  if (after.reason === 'DriftAccepted') onDrift('accepted');
  if (after.reason === 'ContestedField') onDrift('contested');
}

function isSame(before: Condition | undefined, after: Condition): boolean {
  return (
    before?.status === after.status &&
    before.reason === after.reason &&
    before.observedGeneration === after.observedGeneration
  );
}

function readyOf(status: EgressPolicyStatus): Condition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}
