/** One EgressPolicy: load, judge, enact, and ONE status write, skipped when nothing changed. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { Subject } from '../../compile/emit.ts';
import type { Limits } from '../../compile/validate.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Informer } from '../../kube/informer.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { Announce } from '../announce.ts';
import type { Decisions } from '../decisions.ts';
import type { Drift } from '../drift.ts';
import type { Exclusivity } from '../exclusive.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { readability } from '../readability.ts';
import { enact, failed } from './enact.ts';
import { DRIFT_VISIBLE_MS, type Fights } from './fights.ts';
import { judge } from './judge.ts';
import { type Loaded, load } from './load.ts';
import type { WriteContext } from './outputs.ts';
import { pauseObjection } from './pause.ts';
import { type DriftOutcome, publish } from './publish.ts';
import { REJECTION_RETRY_MS, type Rejections } from './rejections.ts';
import { retire } from './retire.ts';
import { restorationOf, type StatusRequest, statusOf } from './status.ts';

export interface EgressPolicyContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly report: () => CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly rejections: Rejections;
  readonly fights: Fights;
  readonly decisions: Pick<Decisions, 'decide'>;
  readonly exclusive: (cache: NamespaceCache, profile: Subject) => Exclusivity;
  readonly announce: Announce;
  readonly onDrift: (outcome: DriftOutcome) => void;
}

export async function reconcileEgressPolicy(
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
  context: EgressPolicyContext,
): Promise<ReconcileResult> {
  const cache = context.cacheOf(key.namespace);
  if (cache === undefined) return {};
  const write: WriteContext = { client: context.client, cache, signal };
  const { isFresh, isCurrent, rejections, fights, clock } = context;
  const loaded = load(key.name, { cache, report: context.report(), isFresh, isCurrent, now: clock.now() });
  if (loaded === undefined) {
    context.decisions.decide(key, undefined);
    await retire(key.name, write);
    return {};
  }
  const judgement = judge(loaded, context.limits);
  context.decisions.decide(key, judgement.result?.digest);
  const contested = { uid: loaded.owner.uid, digest: judgement.result?.digest ?? '' };
  const judgeDrift = (drift: Drift) => pauseObjection(loaded.pause, drift) ?? fights.objection(contested, drift);
  const restored: Drift[] = [];
  const onRestored = (drift: Drift) => {
    fights.restored(contested, drift);
    restored.push(drift);
  };
  const rejection = rejections.recall(loaded, judgement);
  const enacted =
    rejection === undefined
      ? await enact(loaded, judgement, { ...write, judgeDrift, onRestored })
      : await failed(loaded, rejection, write);
  rejections.remember(loaded, judgement, enacted);
  const exclusive = judgeExclusive(loaded, cache, context);
  const now = clock.now();
  const restoration = restorationOf(loaded, fights.latest(contested), now);
  const outcome = { loaded, judgement, enacted, exclusive, restoration, now };
  await publish({ loaded, restored, status: statusOf(outcome) }, { ...context, cache, signal });
  return lookAgain(outcome);
}

/** After the outputs are written: what they open is no widening. */
function judgeExclusive(
  { subject, readable }: Loaded,
  cache: NamespaceCache,
  { isCurrent, exclusive }: EgressPolicyContext,
): StatusRequest['exclusive'] {
  const unknown = (message: string) => ({ status: 'Unknown', reason: 'NotEvaluated', message }) as const;
  if (!subject.ok) return unknown(subject.message);
  if (!readable.ok) return unknown(readable.message);
  const pods = readability([cache.pods], isCurrent);
  return pods.ok ? exclusive(cache, subject.value) : unknown(pods.message);
}

/** When to look again without an event. A failed call is tried again by its own policy: it is thrown. */
function lookAgain({ loaded, enacted, restoration, now }: StatusRequest): ReconcileResult {
  const waits: number[] = [];
  if (enacted.kind === 'Failed') {
    const { cause, reason, retryAfterMs } = enacted.failure;
    if (cause !== undefined) throw cause;
    if (reason === 'ApplyRejected') waits.push(REJECTION_RETRY_MS);
    if (retryAfterMs !== undefined) waits.push(retryAfterMs);
  } else if (restoration !== undefined) waits.push(DRIFT_VISIBLE_MS - restoration.agoMs);
  if (loaded.pause !== undefined) waits.push(loaded.pause.untilMs - now.getTime());
  // A moment more: what is waited for must be over.
  return waits.length === 0 ? {} : { requeueAfterMs: Math.max(0, Math.min(...waits)) + 100 };
}
