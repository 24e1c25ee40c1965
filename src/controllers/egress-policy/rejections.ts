/**
 * Remembers what the API server would not store as sent. The object is removed at once, and its removal is an event that would
 * bring the same write again: without a memory this would be a loop against, say, a mutating webhook.
 */
import type { Clock } from '../../kube/clock.ts';
import type { Failure } from '../ensure.ts';
import type { Enacted } from './enact.ts';
import type { Judgement } from './judge.ts';
import type { Loaded } from './load.ts';

export const REJECTION_RETRY_MS = 10 * 60_000;

export interface Rejections {
  /** The failure of the very same output, when it is recent: not to be tried again yet. */
  recall(loaded: Loaded, judgement: Judgement): Failure | undefined;
  remember(loaded: Loaded, judgement: Judgement, enacted: Enacted): void;
}

export function createRejections(clock: Clock): Rejections {
  const byUid = new Map<string, { readonly digest: string; readonly failure: Failure; readonly untilMs: number }>();
  const dropExpired = () => {
    for (const [uid, { untilMs }] of byUid) if (clock.monotonicMs() >= untilMs) byUid.delete(uid);
  };
  return {
    recall({ owner }, { result }) {
      dropExpired();
      const known = byUid.get(owner.uid);
      return known !== undefined && known.digest === result?.digest ? known.failure : undefined;
    },
    remember({ owner }, { result }, enacted) {
      if (enacted.kind !== 'Failed' || enacted.failure.reason !== 'ApplyRejected' || result === undefined) return;
      if (byUid.get(owner.uid)?.digest === result.digest) return;
      byUid.set(owner.uid, {
        digest: result.digest,
        failure: enacted.failure,
        untilMs: clock.monotonicMs() + REJECTION_RETRY_MS,
      });
    },
  };
}
