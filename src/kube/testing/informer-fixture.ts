import { expect } from 'vitest';
import type { Client } from '../client.ts';
import { createClient } from '../create-client.ts';
import { createInformer, type Informer, type InformerActivity, type InformerOptions } from '../informer.ts';
import { DEFAULT_REFLECTOR_TIMING } from '../reflector-timing.ts';
import type { Change } from '../store.ts';
import type { KubeObject } from '../types.ts';
import { drive } from './drive.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import type { WatchStream } from './fake-watch.ts';
import { WIDGETS, WIDGETS_PATH, widget } from './fixtures.ts';
import { createRecordingLogger } from './recording-logger.ts';

/** An informer over real sockets, on a clock of the test's own: with the timing of production, and no waiting. */
export interface InformerFixture {
  readonly api: FakeApi;
  readonly client: Client;
  readonly clock: FakeClock;
  readonly changes: Change[];
  start(options?: Partial<InformerOptions>): Informer;
  put(name: string, fields?: Record<string, unknown>): KubeObject;
  count(activity: InformerActivity): number;
  /** When the lists, or the watches, were begun. */
  times(activity: 'list' | 'watch'): readonly number[];
  /** Lets time pass until the expectation holds. */
  until(holds: () => void): Promise<void>;
  connected(informer: Informer): Promise<void>;
  openWatch(): Promise<WatchStream>;
  /** Until the cache is what the server has. */
  caughtUp(informer: Informer): Promise<void>;
  stop(): Promise<void>;
}

export const namesOf = (informer: Informer) => informer.list().map((object) => object.metadata.name);

export async function startInformerFixture(): Promise<InformerFixture> {
  const clock = createFakeClock();
  const api = await startFakeApi({ now: clock.monotonicMs });
  const client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: 30_000, clock });
  const stop = new AbortController();
  const activities: { readonly activity: InformerActivity; readonly atMs: number }[] = [];
  const changes: Change[] = [];
  let finished = Promise.resolve();
  const until = (holds: () => void) => drive(clock, holds);
  const collection = api.collection(WIDGETS_PATH);
  return {
    api,
    client,
    clock,
    changes,
    until,
    start: (options = {}) => {
      const informer = createInformer({
        client,
        resource: WIDGETS,
        namespace: 'team',
        clock,
        random: () => 0.5,
        logger: createRecordingLogger(),
        timing: DEFAULT_REFLECTOR_TIMING,
        onActivity: (activity) => activities.push({ activity, atMs: clock.monotonicMs() }),
        ...options,
      });
      informer.onChange((change) => changes.push(change));
      finished = informer.run(stop.signal);
      return informer;
    },
    put: (name, fields) => collection.put(widget(name, fields)),
    count: (activity) => activities.filter((seen) => seen.activity === activity).length,
    times: (activity) => activities.filter((seen) => seen.activity === activity).map(({ atMs }) => atMs),
    connected: (informer) => until(() => expect(informer.health().connected).toBe(true)),
    openWatch: async () => {
      await until(() => expect(api.watches.size).toBe(1));
      return [...api.watches][0] ?? expect.unreachable('a watch is open');
    },
    caughtUp: (informer) => {
      const sorted = (objects: Iterable<KubeObject>) =>
        [...objects].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      return until(() => expect(sorted(informer.list())).toEqual(sorted(collection.objects.values())));
    },
    stop: async () => {
      stop.abort();
      await finished;
      await client.close();
      await api.close();
    },
  };
}
