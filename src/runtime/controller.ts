import { setImmediate } from 'node:timers/promises';
import { namedDelayMs, OUTAGE_MAX_MS } from '../kube/backoff.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { RetryPolicy } from '../kube/errors.ts';
import type { Logger } from '../kube/logger.ts';
import type { QueueKey } from './fair-queue.ts';
import type { WorkQueue } from './workqueue.ts';

export interface ReconcileResult {
  /** Comes back after this long without an event. Left out: only events bring it back. */
  readonly requeueAfterMs?: number;
}

/** Brings one object to its wanted state, whatever has happened before. Throws to be tried again. */
export type Reconcile = (key: QueueKey, signal: AbortSignal) => Promise<ReconcileResult>;

/** A closed set, for a metric label. `given-up`: the error says that only a changed object can help. */
export type ReconcileOutcome = 'done' | 'requeued' | 'retried' | 'given-up' | 'aborted';

export interface ControllerOptions {
  /** From a closed set: it becomes a metric label. */
  readonly name: string;
  readonly queue: WorkQueue;
  readonly workers: number;
  readonly reconcile: Reconcile;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onReconcile?: ((observation: ReconcileObservation) => void) | undefined;
}

export interface ReconcileObservation {
  readonly controller: string;
  readonly outcome: ReconcileOutcome;
  readonly seconds: number;
}

export interface Controller {
  /** Works until `signal` is aborted, then resolves once the reconciles under way have ended. Never rejects. Call it once. */
  run(signal: AbortSignal): Promise<void>;
}

export function createController(options: ControllerOptions): Controller {
  return {
    run: async (signal) => {
      const shutDown = () => void options.queue.shutDown();
      signal.addEventListener('abort', shutDown, { once: true });
      if (signal.aborted) {
        shutDown();
      }
      await Promise.all(Array.from({ length: options.workers }, () => work(options, signal)));
    },
  };
}

async function work(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  for (let key = await options.queue.get(); key !== undefined; key = await options.queue.get()) {
    const startedMs = options.clock.monotonicMs();
    const outcome = await reconcileOnce(options, key, signal);
    options.queue.done(key);
    const seconds = (options.clock.monotonicMs() - startedMs) / 1000;
    options.onReconcile?.({ controller: options.name, outcome, seconds });
    // Reconciles that wait for nothing would hold up every timer, and with them the lease, for as long as the queue is full.
    await setImmediate();
  }
}

async function reconcileOnce(
  options: ControllerOptions,
  key: QueueKey,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  try {
    const { requeueAfterMs } = await options.reconcile(key, signal);
    options.queue.forget(key);
    if (requeueAfterMs === undefined) {
      return 'done';
    }
    options.queue.addAfter(key, requeueAfterMs);
    return 'requeued';
  } catch (error) {
    return signal.aborted ? 'aborted' : retry(options, key, error);
  }
}

function retry(options: ControllerOptions, key: QueueKey, error: unknown): ReconcileOutcome {
  const { queue, random, logger, name } = options;
  const policy = retryPolicyOf(error);
  logger.warn({ controller: name, ...key, err: error, retry: policy }, 'a reconcile failed');
  switch (policy) {
    case 'never':
      queue.forget(key);
      return 'given-up';
    case 'backoff':
      queue.addRateLimited(key);
      return 'retried';
    case 'outage':
      queue.addRateLimited(key, OUTAGE_MAX_MS);
      return 'retried';
    default:
      queue.addNotBefore(key, namedDelayMs(policy.afterMs, random));
      return 'retried';
  }
}

/** Any error may carry a policy; one without is a fault of ours and is tried again, slower each time. */
function retryPolicyOf(error: unknown): RetryPolicy {
  const retryValue: unknown = error instanceof Error && 'retry' in error ? error.retry : undefined;
  if (retryValue === 'never' || retryValue === 'backoff' || retryValue === 'outage') {
    return retryValue;
  }
  if (typeof retryValue === 'object' && retryValue !== null && 'afterMs' in retryValue) {
    return typeof retryValue.afterMs === 'number' ? { afterMs: retryValue.afterMs } : 'backoff';
  }
  return 'backoff';
}
