import { describe, expect, it } from 'vitest';
import type { WatchOptions } from './client.ts';
import { pause } from './clock.ts';
import { KubeError, type KubeErrorReason } from './errors.ts';
import { Reflector } from './reflector.ts';
import { DEFAULT_REFLECTOR_TIMING } from './reflector-timing.ts';
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
import { storedWidget, WIDGETS } from './testing/fixtures.ts';
import { createRecordingLogger } from './testing/recording-logger.ts';
import type { ObjectList, WatchEvent } from './types.ts';

interface Script {
  /** What each list does in turn; the last repeats. */
  readonly lists: readonly (() => ObjectList)[];
  /** How long a list takes. */
  readonly listMs?: number;
  readonly watches: readonly ((options: WatchOptions, clock: FakeClock) => AsyncGenerator<WatchEvent>)[];
}

const list = (resourceVersion: string) => () => ({ items: [], resourceVersion });
const failWith = (reason: KubeErrorReason) => (): never => {
  const details = reason === 'Transport' ? {} : { status: 400 };
  throw new KubeError(reason, { verb: 'watch', resource: 'widgets' }, 'on purpose', details);
};

/** Refuses for half a minute. */
const held = (): never => {
  throw new KubeError('TooMany', { verb: 'list', resource: 'widgets' }, 'on purpose', {
    status: 429,
    retry: { afterMs: 30_000 },
  });
};

/** In place of events. */
function broken(reason: KubeErrorReason): WatchEvent[] {
  return failWith(reason)();
}

/** Opens, says nothing, and is ended by the server after the time it was asked for, or by the client. */
async function* quiet(options: WatchOptions, clock: FakeClock): AsyncGenerator<WatchEvent> {
  options.onOpen?.();
  await pause(clock, options.timeoutSeconds * 1000, options.signal ?? new AbortController().signal);
  yield* [];
}

async function* bookmarked(options: WatchOptions, clock: FakeClock): AsyncGenerator<WatchEvent> {
  options.onOpen?.();
  yield { type: 'BOOKMARK', resourceVersion: '50' };
  yield* quiet(options, clock);
}

async function* oneEvent(options: WatchOptions): AsyncGenerator<WatchEvent> {
  options.onOpen?.();
  yield { type: 'ADDED', object: storedWidget('a', '20') };
}

async function* refused(): AsyncGenerator<WatchEvent> {
  yield* broken('Transport');
}

async function* gone(): AsyncGenerator<WatchEvent> {
  yield* broken('Gone');
}

async function* openedAndDropped(options: WatchOptions): AsyncGenerator<WatchEvent> {
  options.onOpen?.();
  yield* broken('Transport');
}

function run(script: Script) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const calls: { readonly kind: 'list' | 'watch'; readonly atMs: number; readonly from: string }[] = [];
  const nth = <T>(items: readonly T[], kind: 'list' | 'watch'): T => {
    const index = calls.filter((call) => call.kind === kind).length - 1;
    return items[Math.min(index, items.length - 1)] ?? expect.unreachable('the script has a step');
  };
  const reflector = new Reflector(
    {
      client: {
        list: async (_, options) => {
          calls.push({ kind: 'list', atMs: clock.monotonicMs(), from: '' });
          const answer = nth(script.lists, 'list');
          if (script.listMs !== undefined) await pause(clock, script.listMs, options.signal ?? stop.signal);
          options.signal?.throwIfAborted();
          return answer();
        },
        watch: (_, options) => {
          calls.push({ kind: 'watch', atMs: clock.monotonicMs(), from: options.resourceVersion });
          return nth(script.watches, 'watch')(options, clock);
        },
      },
      resource: WIDGETS,
      namespace: 'team',
      clock,
      random: () => 1,
      logger: createRecordingLogger(),
      timing: DEFAULT_REFLECTOR_TIMING,
      onActivity: () => undefined,
    },
    {
      prepare: (object) => object,
      beginList: () => 1,
      replaced: () => undefined,
      event: () => undefined,
      absent: () => undefined,
    },
  );
  void reflector.run(stop.signal);
  const times = (kind: 'list' | 'watch') => calls.filter((call) => call.kind === kind).map((call) => call.atMs);
  return { clock, calls, reflector, times };
}

const gapsOf = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

describe('pacing', () => {
  it('opens at most two watches per second of a server that ends each after one event', async () => {
    const { clock, times } = run({ lists: [list('10')], watches: [oneEvent] });
    await clock.advance(10_000);
    expect(times('watch')).toHaveLength(21);
    expect(times('list')).toHaveLength(1);
  });

  it.each([
    ['refuses connections', refused],
    ['opens and drops', openedAndDropped],
  ])('backs off from a server that %s, and is back soon after it', async (_, watch) => {
    const { clock, times } = run({ lists: [list('10')], watches: [watch] });
    await clock.advance(30_000);
    expect(gapsOf(times('watch'))).toEqual([800, 1600, 3200, 5000, 5000, 5000, 5000]);
    expect(times('list')).toHaveLength(1);
  });

  it.each(['Forbidden', 'NotFound', 'Unauthorized'] as const)(
    'backs off up to half a minute from an answer that stays %s',
    async (reason) => {
      const { clock, times } = run({ lists: [failWith(reason)], watches: [quiet] });
      await clock.advance(120_000);
      expect(gapsOf(times('list'))).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    },
  );

  it('takes any answer after an outage for a sign of life: a server that has just started knows no Roles yet', async () => {
    const outage = Array.from({ length: 12 }, () => failWith('Transport'));
    const { clock, times } = run({
      lists: [...outage, failWith('Server'), failWith('Forbidden'), list('10')],
      watches: [quiet],
    });
    await clock.advance(120_000);
    expect(gapsOf(times('list')).slice(-2)).toEqual([800, 1600]);
  });

  it.each([
    ['', []],
    [' right after another loss', [gone]],
  ])('lists at once when its place was lost during an outage%s', async (_, earlier) => {
    const outage = Array.from({ length: 12 }, () => refused);
    const { clock, times } = run({
      lists: [list('10')],
      watches: [...earlier, openedAndDropped, ...outage, gone, quiet],
    });
    await clock.advance(120_000);
    expect(times('list').at(-1)).toBe(times('watch')[earlier.length + 1 + outage.length]);
  });

  it('starts over after a watch that lasted', async () => {
    const { clock, times } = run({ lists: [list('10')], watches: [refused, refused, refused, quiet, refused, quiet] });
    await clock.advance(60_000);
    expect(times('watch')).toEqual([0, 800, 2400, 5600, 55_600, 56_400]);
  });

  it('lists at once after the first 410, and backs off from the next', async () => {
    const { clock, times } = run({ lists: [list('10')], watches: [gone] });
    await clock.advance(15_000);
    expect(times('list')).toEqual([0, 0, 1600, 4800, 11_200]);
  });
});

describe('a long silence', () => {
  it('ends with a list, because a watch from the server’s future is silent too', async () => {
    const { clock, calls, times } = run({ lists: [list('1000'), list('20')], watches: [quiet] });
    await clock.advance(11 * 50_000);
    expect(times('list')).toEqual([0, 500_000]);
    expect(calls.at(-1)?.from).toBe('20');
  });

  it('is none when bookmarks come', async () => {
    const { clock, times } = run({ lists: [list('10')], watches: [bookmarked] });
    await clock.advance(3_600_000);
    expect(times('list')).toHaveLength(1);
  });
});

describe('a list that is wanted anew', () => {
  it('ends the watch, and the next one begins at it', async () => {
    const { clock, calls, times, reflector } = run({ lists: [list('10'), list('20')], watches: [quiet] });
    await clock.advance(10_000);
    reflector.relist(10_000);
    await clock.advance(1000);
    expect(times('list')).toEqual([0, 10_000]);
    expect(calls.at(-1)).toEqual({ kind: 'watch', atMs: 10_000, from: '20' });
    expect(reflector.health()).toMatchObject({ connected: true, askedAtMs: 10_000 });
    await clock.advance(120_000);
    expect(times('list')).toHaveLength(2);
  });

  it('is none where the last one was asked for late enough', async () => {
    const { clock, times, reflector } = run({ lists: [list('10')], watches: [quiet] });
    await clock.advance(10_000);
    reflector.relist(0);
    await clock.advance(10_000);
    expect(times('list')).toEqual([0]);
    expect(times('watch')).toEqual([0]);
  });

  it('is the one that is under way where that was asked for late enough', async () => {
    const { clock, times, reflector } = run({ lists: [list('10'), list('20')], watches: [quiet], listMs: 500 });
    await clock.advance(10_000);
    reflector.relist(10_000);
    await clock.advance(100);
    reflector.relist(10_000);
    await clock.advance(10_000);
    expect(times('list')).toEqual([0, 10_000]);
    expect(reflector.health()).toMatchObject({ connected: true, askedAtMs: 10_000 });
  });

  it('is tried again until it comes, and the watch goes on meanwhile', async () => {
    const lists = [list('10'), failWith('Transport'), failWith('Transport'), list('20')];
    const { clock, calls, times, reflector } = run({ lists, watches: [quiet] });
    await clock.advance(10_000);
    reflector.relist(10_000);
    await clock.advance(700);
    expect(calls.at(-1)).toEqual({ kind: 'watch', atMs: 10_000, from: '10' });
    expect(reflector.health()).toMatchObject({ connected: true, askedAtMs: 0 });
    await clock.advance(10_000);
    expect(times('list')).toEqual([0, 10_000, 10_800, 12_400]);
    expect(calls.at(-1)).toEqual({ kind: 'watch', atMs: 12_400, from: '20' });
    expect(reflector.health()).toMatchObject({ connected: true, askedAtMs: 12_400 });
  });

  it.each([
    ['ends a pause of its own', failWith('NotFound'), [0, 800, 2400, 5600, 12_000, 20_000]],
    ['keeps one that the server has asked for', held, [0, 33_000]],
  ])('%s', async (_, answer, expected) => {
    const { clock, times, reflector } = run({ lists: [answer], watches: [quiet] });
    await clock.advance(20_000);
    reflector.relist(20_000);
    await clock.advance(14_000);
    expect(times('list')).toEqual(expected);
  });

  it('is answered where the API is not served', async () => {
    const { clock, reflector } = run({ lists: [list('10'), failWith('NotFound')], watches: [quiet] });
    await clock.advance(10_000);
    reflector.relist(10_000);
    await clock.advance(100);
    expect(reflector.health()).toMatchObject({ absent: true, askedAtMs: 10_000 });
  });
});

describe('health', () => {
  it('shows an outage and its end', async () => {
    const { clock, reflector } = run({ lists: [failWith('Forbidden'), list('10')], watches: [quiet] });
    await clock.advance(0);
    expect(reflector.health()).toMatchObject({ forbidden: true, connected: false, consecutiveFailures: 1 });
    await clock.advance(1000);
    expect(reflector.health()).toMatchObject({ forbidden: false, connected: true, consecutiveFailures: 0 });
  });
});
