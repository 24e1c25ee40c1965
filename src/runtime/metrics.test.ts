import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  it('keeps each registry to itself', async () => {
    const first = createMetrics({ prefix: 'test_', defaultMetrics: false });
    const second = createMetrics({ prefix: 'test_', defaultMetrics: false });
    first.setLeading(true);
    expect(await first.registry.metrics()).toContain('test_leading 1');
    expect(await second.registry.metrics()).toContain('test_leading 0');
  });

  it('has only labels with closed sets of values', async () => {
    const metrics = createMetrics({ prefix: 'test_', defaultMetrics: false });
    metrics.onRequest({ verb: 'patch', resource: 'widgets', code: 'Timeout', seconds: 1 });
    metrics.onReconcile({ controller: 'widgets', outcome: 'retried', seconds: 1 });
    metrics.onInformerActivity('widgets', 'list');
    metrics.onEvent('limited');
    metrics.setQueueDepth('widgets', 3);
    const families = await metrics.registry.getMetricsAsJSON();
    const labels = new Set(families.flatMap((family) => family.values.flatMap((value) => Object.keys(value.labels))));
    expect([...labels].sort()).toEqual(['activity', 'code', 'controller', 'le', 'outcome', 'resource', 'verb']);
  });

  it('adds process metrics when asked', async () => {
    const text = await createMetrics({ prefix: 'test_', defaultMetrics: true }).registry.metrics();
    expect(text).toContain('test_process_resident_memory_bytes');
  });

  it('has what is counted with 0 from the start, as far as it is known by then', async () => {
    const metrics = createMetrics({ prefix: 'test_', defaultMetrics: false });
    const counts = async (name: string) =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`test_${name}`));
    expect(await counts('events_total')).toEqual(
      ['sent', 'failed', 'duplicate', 'limited', 'overflow'].map(
        (outcome) => `test_events_total{outcome="${outcome}"} 0`,
      ),
    );
    // A resource is known once it is listed, which is before anything fails.
    metrics.onInformerActivity('widgets', 'list');
    metrics.onInformerActivity('widgets', 'list');
    const activities = (count: number) =>
      ['list', 'watch', 'failure', 'handler-error'].map(
        (activity) =>
          `test_informer_activity_total{resource="widgets",activity="${activity}"} ${activity === 'list' ? count : 0}`,
      );
    expect(await counts('informer')).toEqual(activities(2));
  });
});
