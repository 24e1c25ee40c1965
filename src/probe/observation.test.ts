import { describe, expect, it } from 'vitest';
import { decodeObservation, encodeObservation, MAX_MESSAGE_BYTES, type Observation, type Seen } from './observation.ts';

const seen = (changed: Partial<Seen> = {}): Seen => ({
  outcome: 'silent',
  atMs: 12,
  tries: 3,
  addresses: [],
  ...changed,
});
const observation: Observation = {
  firstMs: 31,
  families: ['IPv4', 'IPv6'],
  seen: [seen(), seen({ outcome: 'answered', addresses: ['192.0.2.1', '2001:db8::1'] })],
};

describe('what a canary has seen', () => {
  it('is read as it was written', () => {
    expect(decodeObservation(encodeObservation(observation), 2)).toEqual(observation);
  });

  it('fits into the status of a pod, with as many attempts as the largest control has: addresses give way', () => {
    const address = 'fd00:1111:2222:3333:4444:5555:6666:7777';
    const many = Array.from({ length: 60 }, () => seen({ atMs: 12_345, addresses: Array(4).fill(address) }));
    const text = encodeObservation({ ...observation, seen: many });
    expect(text.length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(decodeObservation(text, 60)?.seen.map(({ outcome }) => outcome)).toEqual(many.map(() => 'silent'));
    expect(() => encodeObservation({ ...observation, seen: Array(1000).fill(seen()) })).toThrow('fewer attempts');
  });

  it.each([
    ['', 2],
    ['no JSON', 2],
    ['null', 2],
    ['{"v":2,"first":1,"families":[],"seen":[]}', 0],
    ['{"v":1,"first":1,"families":[],"seen":[[0,1,1]]}', 2],
    ['{"v":1,"first":1,"families":[],"seen":[[9,1,1]]}', 1],
    ['{"v":1,"first":1,"families":[],"seen":[0]}', 1],
    [encodeObservation(observation).slice(0, -3), 2],
  ])('%s is nothing that a canary has written', (text, attempts) => {
    expect(decodeObservation(text, attempts)).toBeUndefined();
  });
});
