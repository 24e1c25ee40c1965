import type { FakeClock } from './fake-clock.ts';

const STEP_MS = 50;
const MAX_STEPS = 20_000;
/** Turns of the event loop in which a request to a server in this process is answered. Time stands still meanwhile, so it costs none. */
const TURNS = 6;

/** Lets time pass until `holds` does not throw, as for `vi.waitFor`, but on the fake clock: a wait of minutes takes milliseconds. */
export async function drive(clock: FakeClock, holds: () => void): Promise<void> {
  for (let step = 0; ; step += 1) {
    await letAnswer();
    try {
      holds();
      return;
    } catch (error) {
      if (step === MAX_STEPS) throw error;
    }
    await clock.advance(STEP_MS);
  }
}

/** Lets `ms` pass as `drive` does. For a long time: an assertion that does not hold yet costs more than all else in a step. */
export async function driveFor(clock: FakeClock, ms: number): Promise<void> {
  for (const endMs = clock.monotonicMs() + ms; clock.monotonicMs() < endMs; ) {
    await letAnswer();
    await clock.advance(STEP_MS);
  }
}

async function letAnswer(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
