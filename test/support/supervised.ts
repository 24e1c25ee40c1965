/** Keeps a command running as a kubelet does: what ends is started again, and how it ended is remembered. */
import type { Running } from './process.ts';

export interface Supervised {
  /** The process that runs now. */
  readonly running: Running;
  readonly exitCodes: readonly number[];
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** `launch` must not wait for readiness: a process that is started during an outage is not ready for long. */
export async function supervise(launch: () => Promise<Running>): Promise<Supervised> {
  let running = await launch();
  let stopping = false;
  const exitCodes: number[] = [];
  const supervising = (async () => {
    for (;;) {
      const code = await running.exited;
      if (stopping) return;
      exitCodes.push(code);
      running = await launch();
      if (stopping) await running.stop();
    }
  })();
  return {
    get running() {
      return running;
    },
    exitCodes,
    stop: async () => {
      stopping = true;
      await running.stop();
      await supervising;
    },
  };
}
