/**
 * Remembers what the API server would not store as sent. The object is removed at once, and its removal is an event that would
 * bring the same write again: without a memory this would be a loop against, say, a mutating webhook.
 */
import type { Clock } from '../../kube/clock.ts';
import type { Enacted } from './enact.ts';
import type { Judgement } from './judge.ts';
import type { Loaded } from './load.ts';

export const REJECTION_RETRY_MS = 10 * 60_000;

export interface Rejections {
  /** The rejection of the very same output, when it is recent. */
  recall(loaded: Loaded, judgement: Judgement): Enacted | undefined;
  remember(loaded: Loaded, judgement: Judgement, enacted: Enacted): void;
}

export function createRejections(clock: Clock): Rejections {
  const byUid = new Map<string, { readonly digest: string; readonly enacted: Enacted; readonly untilMs: number }>();
  return {
    recall({ owner }, { result }) {
      const known = byUid.get(owner.uid);
      if (known === undefined) return undefined;
      if (known.digest === result?.digest && clock.monotonicMs() < known.untilMs) return known.enacted;
      byUid.delete(owner.uid);
      return undefined;
    },
    remember({ owner }, { result }, enacted) {
      if (enacted.kind !== 'Failed' || enacted.failure.reason !== 'ApplyRejected' || result === undefined) return;
      if (byUid.has(owner.uid)) return;
      byUid.set(owner.uid, { digest: result.digest, enacted, untilMs: clock.monotonicMs() + REJECTION_RETRY_MS });
    },
  };
}
