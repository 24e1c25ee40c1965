/** Candidates for one lease, on a clock and a server of the test's own. */
import { createElector, type ElectionEnd, type Elector } from '../lease.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createLeaseServer, type LeaseClient, type LeaseServer } from './lease-server.ts';
import { createRecordingLogger } from './recording-logger.ts';

export interface Candidate {
  readonly elector: Elector;
  readonly client: LeaseClient;
  readonly stop: AbortController;
  readonly end: Promise<ElectionEnd>;
  /** What the work saw: started, then aborted. */
  readonly seen: string[];
  /** When it was told that it has to wait. */
  readonly waits: readonly number[];
  /** Until when somebody else may have led, as its work was told. */
  readonly othersUntil: readonly number[];
}

export interface StartOptions {
  readonly server: LeaseServer;
  readonly clock: FakeClock;
  readonly identity: string;
  readonly work?: (signal: AbortSignal) => Promise<void>;
}

export function start({ server, clock, identity, work = untilAborted }: StartOptions): Candidate {
  const client = server.client();
  const stop = new AbortController();
  const seen: string[] = [];
  const [waits, othersUntil]: [number[], number[]] = [[], []];
  const elector = createElector({
    client,
    namespace: 'ops',
    name: 'lock',
    identity,
    fieldManager: 'tester',
    clock,
    random: () => 0,
    logger: createRecordingLogger(),
  });
  const end = elector.run(stop.signal, {
    onWaiting: () => waits.push(clock.monotonicMs()),
    onStartedLeading: (signal, othersUntilMs) => {
      othersUntil.push(othersUntilMs);
      seen.push('started');
      signal.addEventListener('abort', () => seen.push('aborted'));
      return work(signal);
    },
    onStoppedLeading: () => seen.push('stopped'),
  });
  return { elector, client, stop, end, seen, waits, othersUntil };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

export function setup() {
  const server = createLeaseServer();
  const clock = createFakeClock();
  return { server, clock, start: (identity: string) => start({ server, clock, identity }) };
}
