/** One EgressPolicy: load, judge, enact, and ONE status write, skipped when nothing changed. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { Condition } from '../../api/conditions.ts';
import { EgressPolicy, type EgressPolicyStatus } from '../../api/egress-policy.ts';
import { canonicalJson } from '../../compile/canonical.ts';
import type { Limits } from '../../compile/validate.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { isKubeError } from '../../kube/errors.ts';
import type { Informer } from '../../kube/informer.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { Announce } from '../announce.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { writeStatus } from '../write-status.ts';
import { type Enacted, enact, failed } from './enact.ts';
import { judge } from './judge.ts';
import { type Loaded, load } from './load.ts';
import type { WriteContext } from './outputs.ts';
import { REJECTION_RETRY_MS, type Rejections } from './rejections.ts';
import { retire } from './retire.ts';
import { describeDrift, driftExpiresInMs, statusOf } from './status.ts';

export interface EgressPolicyContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly report: () => CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly rejections: Rejections;
  readonly announce: Announce;
}

export async function reconcileEgressPolicy(
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
  context: EgressPolicyContext,
): Promise<ReconcileResult> {
  const cache = context.cacheOf(key.namespace);
  if (cache === undefined) return {};
  const write: WriteContext = { client: context.client, cache, signal };
  const { isFresh, isCurrent } = context;
  const loaded = load(key.name, { cache, report: context.report(), isFresh, isCurrent });
  if (loaded === undefined) {
    await retire(key.name, write);
    return {};
  }
  const judgement = judge(loaded, context.limits);
  const rejection = context.rejections.recall(loaded, judgement);
  const enacted =
    rejection === undefined ? await enact(loaded, judgement, write) : await failed(loaded, rejection, write);
  context.rejections.remember(loaded, judgement, enacted);
  const now = context.clock.now();
  const status = statusOf({ loaded, judgement, enacted, now });
  if (canonicalJson(status) !== canonicalJson(loaded.policy.status)) {
    await publish({ loaded, status, enacted }, signal, { ...context, cache });
  }
  return next(enacted, status, now);
}

interface Outcome {
  readonly loaded: Loaded;
  readonly status: EgressPolicyStatus;
  readonly enacted: Enacted;
}

async function publish(
  { loaded, status, enacted }: Outcome,
  signal: AbortSignal,
  context: EgressPolicyContext & { readonly cache: NamespaceCache },
): Promise<void> {
  try {
    await writeStatus(
      { kind: EgressPolicy, object: loaded.policy, status, signal },
      context.client,
      context.cache.policies,
    );
  } catch (error) {
    // The policy went away while it was reconciled: there is nobody left to tell.
    if (isKubeError(error, 'NotFound')) return;
    throw error;
  }
  const before = readyOf(loaded.previousStatus);
  const after = readyOf(status);
  if (
    after !== undefined &&
    (before?.status !== after.status ||
      before.reason !== after.reason ||
      before.observedGeneration !== after.observedGeneration)
  ) {
    context.announce(loaded.policy, after.status === 'True' ? 'Normal' : 'Warning', after);
  }
  if (enacted.kind === 'Applied' && enacted.drift !== undefined) {
    context.announce(loaded.policy, 'Warning', { reason: 'DriftRestored', message: describeDrift(enacted.drift) });
  }
}

/** When to look again without an event: a failure by its own retry policy, a visible drift when it expires. */
function next(enacted: Enacted, status: EgressPolicyStatus, now: Date): ReconcileResult {
  if (enacted.kind === 'Failed') {
    if (enacted.failure.cause !== undefined) throw enacted.failure.cause;
    return enacted.failure.reason === 'ApplyRejected' ? { requeueAfterMs: REJECTION_RETRY_MS } : {};
  }
  const expires = driftExpiresInMs(status, now);
  // One second more: the timestamp has whole seconds.
  return expires === undefined ? {} : { requeueAfterMs: expires + 1000 };
}

function readyOf(status: EgressPolicyStatus): Condition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}
