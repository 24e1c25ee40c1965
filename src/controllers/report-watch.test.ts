import { describe, expect, it } from 'vitest';
import type { Informer } from '../kube/informer.ts';
import type { Change } from '../kube/store.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import type { KubeObject } from '../kube/types.ts';
import { createReportWatch } from './report-watch.ts';

const MAX_AGE_MS = 300_000;
const wholeSeconds = (date: Date) => date.toISOString().replace(/\.[0-9]{3}Z$/, 'Z');

function watching() {
  const clock = createFakeClock();
  let object: KubeObject | undefined;
  let handler: (change: Change) => void = () => undefined;
  const informer: Partial<Informer> = {
    get: () => object,
    onChange: (added) => {
      handler = added;
      return () => undefined;
    },
  };
  let news = 0;
  const watch = createReportWatch({
    informer: informer as Informer,
    name: 'cluster',
    maxAgeMs: MAX_AGE_MS,
    clock,
    onNews: () => news++,
  });
  const report = (observedAt: Date, capabilityHash = 'sha256:a', more: object = {}) => {
    const status = { observedAt: wholeSeconds(observedAt), capabilityHash, ...more };
    object = { apiVersion: 'agentplane.dev/v1alpha1', kind: 'CapabilityReport', metadata: { name: 'cluster' }, status };
    handler({ name: 'cluster', current: object });
  };
  return { clock, watch, report, news: () => news };
}

describe('the report', () => {
  it('is news when it appears and when its capabilities change, not when it beats', async () => {
    const { clock, report, news } = watching();
    report(clock.now());
    expect(news()).toBe(1);
    await clock.advance(60_000);
    report(clock.now());
    expect(news()).toBe(1);
    report(clock.now(), 'sha256:b');
    expect(news()).toBe(2);
  });

  it('is news when it grows stale without another word, and when it is fresh again', async () => {
    const { clock, watch, report, news } = watching();
    const observedAt = clock.now();
    report(observedAt);
    await clock.advance(MAX_AGE_MS - 1000);
    expect(news()).toBe(1);
    await clock.advance(3000);
    expect(news()).toBe(2);
    expect(watch.isFresh(observedAt.toISOString())).toBe(false);
    report(clock.now());
    expect(news()).toBe(3);
  });

  it('is news when a RuntimeClass comes or goes', async () => {
    const { clock, report, news } = watching();
    const runtimeClasses = (state: string) => ({ runtimeClasses: [{ name: 'gvisor', state }] });
    report(clock.now(), 'sha256:a', runtimeClasses('Missing'));
    report(clock.now(), 'sha256:a', runtimeClasses('Missing'));
    expect(news()).toBe(1);
    report(clock.now(), 'sha256:a', runtimeClasses('Present'));
    expect(news()).toBe(2);
  });

  it('is news when the probe has shown something, and when that expires without another word', async () => {
    const { clock, report, news } = watching();
    const shown = (untilMs: number) => {
      const enforcement = {
        capability: 'isolation',
        result: 'Verified',
        reason: 'Proven',
        message: 'so',
        at: wholeSeconds(clock.now()),
        expiresAt: wholeSeconds(new Date(clock.now().getTime() + untilMs)),
        nodes: { covered: 1 },
      };
      report(clock.now(), 'sha256:a', { enforcement: [enforcement] });
    };
    report(clock.now());
    shown(60_000);
    expect(news()).toBe(2);
    await clock.advance(30_000);
    shown(60_000);
    await clock.advance(58_000);
    expect(news()).toBe(2);
    await clock.advance(4000);
    expect(news()).toBe(3);
  });

  it('of the future is stale: it would never grow old', () => {
    const { clock, watch } = watching();
    expect(watch.isFresh(new Date(clock.now().getTime() + MAX_AGE_MS + 1000).toISOString())).toBe(false);
    expect(watch.isFresh(new Date(clock.now().getTime() + 1000).toISOString())).toBe(true);
  });

  it('says nothing after it was stopped', async () => {
    const { clock, watch, report, news } = watching();
    report(clock.now());
    watch.stop();
    await clock.advance(MAX_AGE_MS * 2);
    expect(news()).toBe(1);
  });
});
