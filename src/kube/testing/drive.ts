import type { FakeClock } from './fake-clock.ts';

const STEP_MS = 50;
const MAX_STEPS = 20_000;
/** Turns of the event loop in which a request to a server in this process is answered. Time stands still meanwhile, so it costs none. */
const TURNS = 6;

/** Lets time pass until `holds` does not throw, as for `vi.waitFor`, but on the fake clock: a wait of minutes takes milliseconds. */
export async function drive(clock: FakeClock, holds: () => void): Promise<void> {
  for (let step = 0; ; step += 1) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    try {
      holds();
      return;
    } catch (error) {
      if (step === MAX_STEPS) throw error;
    }
    await clock.advance(STEP_MS);
  }
}
