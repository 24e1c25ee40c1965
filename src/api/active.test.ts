import { describe, expect, it } from 'vitest';
import { isActive, type Observable } from './active.ts';

function object(
  generation: number,
  observed: number,
  conditionObserved: number,
  status: 'True' | 'False' | 'Unknown',
): Observable {
  return {
    metadata: { generation },
    status: {
      observedGeneration: observed,
      conditions: [
        {
          type: 'Ready',
          status,
          reason: 'Ready',
          message: '',
          observedGeneration: conditionObserved,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  };
}

describe('isActive', () => {
  it('holds when all three generations agree and Ready is True', () => {
    expect(isActive(object(3, 3, 3, 'True'))).toBe(true);
  });

  it.each([
    ['the spec is newer than the status', object(4, 3, 3, 'True')],
    ['the condition is older than the status', object(3, 3, 2, 'True')],
    ['the status claims a generation that does not exist yet', object(3, 4, 4, 'True')],
    ['Ready is False', object(3, 3, 3, 'False')],
    ['Ready is Unknown', object(3, 3, 3, 'Unknown')],
    ['there is no status', { metadata: { generation: 1 } }],
    ['there is no condition', { metadata: { generation: 1 }, status: { observedGeneration: 1 } }],
    ['there is no generation', { metadata: {}, status: {} }],
  ])('does not hold when %s', (_, candidate) => {
    expect(isActive(candidate)).toBe(false);
  });
});
