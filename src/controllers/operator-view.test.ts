import { expect, test } from 'vitest';
import type { Informer } from '../kube/informer.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { type OperatorView, renewView } from './operator-view.ts';

test('lists are asked for when the leader before has surely stopped, also where the lease was handed over by hand', async () => {
  const clock = createFakeClock();
  const asked: (readonly [atMs: number, sinceMs: number])[] = [];
  const informer = { relist: (sinceMs: number) => asked.push([clock.monotonicMs(), sinceMs]) } as unknown as Informer;
  const view: OperatorView = { caches: new Map(), reports: informer, missed: new Set(), sinceMs: 0 };
  const { signal } = new AbortController();
  void renewView(view, [informer], { clock, signal, sinceMs: 11_000 });
  expect(view.sinceMs).toBe(11_000);
  await clock.advance(10_000);
  expect(asked).toEqual([]);
  await clock.advance(2000);
  expect(asked).toEqual([[11_000, 11_000]]);
});
