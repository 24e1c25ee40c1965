/** One RuntimeProfile: load, judge, keep it for its workloads, and ONE status write, skipped when nothing changed. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import { RuntimeProfile } from '../../api/runtime-profile.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Informer } from '../../kube/informer.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import type { Announce } from '../announce.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { publishStatus } from '../publish-status.ts';
import { deletionOf } from './deletion.ts';
import { judgeProfile } from './judge.ts';
import { keep } from './keep.ts';
import { loadProfile } from './load.ts';
import { profileStatusOf } from './status.ts';

export interface RuntimeProfileContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly report: () => CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
  /** Whether a profile is kept until its workloads are gone: where admission policies hold. */
  readonly holdsProfiles: boolean;
  readonly clock: Clock;
  readonly announce: Announce;
}

export async function reconcileRuntimeProfile(
  key: QueueKey,
  signal: AbortSignal,
  context: RuntimeProfileContext,
): Promise<ReconcileResult> {
  const cache = context.cacheOf(key.namespace);
  if (cache === undefined) return {};
  const { client, isFresh, isCurrent, holdsProfiles, clock } = context;
  const loaded = loadProfile(key.name, { cache, report: context.report(), isFresh, isCurrent });
  if (loaded === undefined) return {};
  const judgement = judgeProfile(loaded);
  const now = clock.now();
  const request = { loaded, judgement, deletion: deletionOf({ ...loaded, holdsProfiles, now }), holdsProfiles };
  const kept = await keep(request, { client, informer: cache.profiles, signal });
  if (kept.kind === 'Released') return {};
  const { deletion } = kept;
  const obstacle = kept.kind === 'Failed' ? kept.error.message : undefined;
  const status = profileStatusOf({ loaded, judgement, deletion, obstacle, now });
  const publication = { kind: RuntimeProfile, object: loaded.profile, status, signal };
  await publishStatus(publication, { ...context, informer: cache.profiles });
  if (kept.kind === 'Failed') throw kept.error;
  // A moment more: the timeout must be over.
  const isPending = deletion.kind === 'Held' && deletion.overdueInMs > 0;
  return isPending ? { requeueAfterMs: deletion.overdueInMs + 100 } : {};
}
