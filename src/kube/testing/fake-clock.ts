import type { Clock } from '../clock.ts';

export interface FakeClock extends Clock {
  /** Runs every timer due within `ms`, in order, letting promises settle around each. */
  advance(ms: number): Promise<void>;
  /** Lets time pass without running timers: a process stopped by a signal, or a blocked event loop. */
  freeze(ms: number): void;
  /** Moves only the wall clock. */
  setWallOffset(ms: number): void;
  readonly pendingTimers: number;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

const EPOCH_MS = Date.UTC(2030, 0, 1);

export function createFakeClock(): FakeClock {
  const timers = new Set<Timer>();
  let nowMs = 0;
  let wallOffsetMs = 0;
  const nextDue = (limitMs: number): Timer | undefined =>
    [...timers].filter((timer) => timer.dueMs <= limitMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    now: () => new Date(EPOCH_MS + nowMs + wallOffsetMs),
    monotonicMs: () => nowMs,
    schedule: (ms, callback) => {
      const timer = { dueMs: nowMs + Math.max(0, ms), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (let timer = nextDue(endMs); timer !== undefined; timer = nextDue(endMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.callback();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    freeze: (ms) => {
      nowMs += ms;
    },
    setWallOffset: (ms) => {
      wallOffsetMs = ms;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Enough turns of the event loop for any chain of already resolved promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
