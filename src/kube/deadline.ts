import type { Clock } from './clock.ts';

/** Joins the caller's signal with a timer of ours, and remembers which of the two ended the call. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly expired: boolean;
  /** Starts the timer anew. */
  arm(ms: number): void;
  disarm(): void;
  /** Lets go of the caller's signal, which may outlive thousands of calls. */
  dispose(): void;
}

export function createDeadline(clock: Clock, callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let expired = false;
  let cancel: (() => void) | undefined;
  const disarm = () => {
    cancel?.();
    cancel = undefined;
  };
  const onCallerAbort = () => controller.abort();
  callerSignal?.addEventListener('abort', onCallerAbort, { once: true });
  if (callerSignal?.aborted === true) {
    controller.abort();
  }
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    arm: (ms) => {
      disarm();
      cancel = clock.schedule(ms, () => {
        expired = true;
        controller.abort();
      });
    },
    disarm,
    dispose: () => {
      disarm();
      callerSignal?.removeEventListener('abort', onCallerAbort);
    },
  };
}
