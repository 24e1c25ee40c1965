import { describe, expect, it } from 'vitest';
import { KubeError } from '../kube/errors.ts';
import { createFakeClock, settle } from '../kube/testing/fake-clock.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import type { KubeObject } from '../kube/types.ts';
import { createEventRecorder, type EventInput, type EventOutcome } from './events.ts';

function setup(answer: (event: KubeObject) => Promise<KubeObject> = async (event) => event) {
  const clock = createFakeClock();
  const sent: KubeObject[] = [];
  const outcomes: EventOutcome[] = [];
  const recorder = createEventRecorder({
    client: {
      create: (_, object) => {
        sent.push(object);
        return answer(object);
      },
    },
    clock,
    random: () => 0.5,
    logger: createRecordingLogger(),
    reportingController: 'example.test/controller',
    reportingInstance: 'pod-1',
    fieldManager: 'tester',
    limits: { windowMs: 60_000, burst: 3, refillMs: 300_000 },
    onEvent: (outcome) => outcomes.push(outcome),
  });
  return { clock, sent, outcomes, recorder };
}

function event(fields: Partial<EventInput> = {}, name = 'np'): EventInput {
  return {
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name, uid: `uid-${name}` },
    type: 'Warning',
    reason: 'Denied',
    action: 'Apply',
    note: 'no',
    ...fields,
  };
}

describe('an Event', () => {
  it('is what events.k8s.io/v1 asks for', async () => {
    const { recorder, sent, outcomes } = setup();
    recorder.emit(event());
    await settle();
    expect(sent).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'team', name: 'np.8000000080000000' },
        eventTime: '2030-01-01T00:00:00.000000Z',
        reportingController: 'example.test/controller',
        reportingInstance: 'pod-1',
        type: 'Warning',
        reason: 'Denied',
        action: 'Apply',
        regarding: event().regarding,
        note: 'no',
      },
    ]);
    expect(outcomes).toEqual(['sent']);
  });

  it('has a valid name and note whatever it is about', () => {
    const { recorder, sent } = setup();
    recorder.emit(event({ note: 'ü\n'.repeat(3000) }, `${'a'.repeat(199)}.${'b'.repeat(53)}`));
    expect(sent[0]?.metadata.name).toMatch(/^a{199}\.[0-9a-f]{16}$/);
    expect(Buffer.byteLength(String(sent[0]?.note))).toBeLessThan(1024);
    expect(sent[0]?.note).not.toContain('\n');
  });

  it('is not repeated within the window, and is after it', async () => {
    const { recorder, outcomes, clock } = setup();
    recorder.emit(event());
    recorder.emit(event());
    recorder.emit(event({ note: 'other' }));
    recorder.emit(event({}, 'other'));
    await clock.advance(60_000);
    recorder.emit(event());
    await settle();
    expect(outcomes).toEqual(['duplicate', 'sent', 'sent', 'sent', 'sent']);
  });

  it('is limited per object, which earns more with time', async () => {
    const { recorder, outcomes, clock } = setup();
    const emit = (count: number, from: number) => {
      for (let index = 0; index < count; index += 1) {
        recorder.emit(event({ note: String(from + index) }));
      }
    };
    emit(5, 0);
    await clock.advance(300_000);
    emit(2, 10);
    await settle();
    expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(3);
  });

  it('that fails is counted and disturbs nobody', async () => {
    const { recorder, outcomes } = setup(() =>
      Promise.reject(new KubeError('Forbidden', { verb: 'create', resource: 'events' }, 'no')),
    );
    recorder.emit(event());
    await settle();
    expect(outcomes).toEqual(['failed']);
  });

  it('is dropped while too many are under way', () => {
    const { recorder, sent, outcomes } = setup(() => new Promise(() => undefined));
    for (let index = 0; index < 100; index += 1) {
      recorder.emit(event({}, `object-${index}`));
    }
    expect(sent).toHaveLength(64);
    expect(outcomes).toHaveLength(36);
    expect(new Set(outcomes)).toEqual(new Set(['overflow']));
  });
});
