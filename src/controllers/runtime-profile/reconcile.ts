/** One RuntimeProfile: load, judge, and ONE status write, skipped when nothing changed. */
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
import { judgeProfile } from './judge.ts';
import { loadProfile } from './load.ts';
import { profileStatusOf } from './status.ts';

export interface RuntimeProfileContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly report: () => CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
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
  const { isFresh, isCurrent, clock } = context;
  const loaded = loadProfile(key.name, { cache, report: context.report(), isFresh, isCurrent });
  if (loaded === undefined) return {};
  const status = profileStatusOf(loaded, judgeProfile(loaded), clock.now());
  const publication = { kind: RuntimeProfile, object: loaded.profile, status, signal };
  await publishStatus(publication, { ...context, informer: cache.profiles });
  return {};
}
