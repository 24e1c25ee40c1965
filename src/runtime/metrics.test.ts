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
});
