import { expect, test } from 'vitest';
import { decide, type MachineFacts, parseSource } from './image-source.ts';

const nothing: MachineFacts = { hasEngine: false, hasBuiltImage: false, hasPublicImage: false, canBuild: false };

test.each<[string, Partial<MachineFacts>, object]>([
  [
    'a laptop with an engine and a registry',
    { hasEngine: true, hasPublicImage: true },
    { source: 'public', quick: true },
  ],
  [
    'a laptop that has built before',
    { hasEngine: true, hasPublicImage: true, hasBuiltImage: true },
    { source: 'source', quick: true },
  ],
  [
    'Debian without a registry, warm',
    { hasEngine: true, hasBuiltImage: true, canBuild: true },
    { source: 'source', quick: true },
  ],
  ['Debian without a registry, cold', { hasEngine: true, canBuild: true }, { source: 'source', quick: false }],
  ['Debian without an engine', { canBuild: true }, { source: 'source', quick: false }],
])('%s can have a cluster', (_, facts, expected) => {
  expect(decide({ ...nothing, ...facts })).toMatchObject({ possible: true, ...expected });
});

test.each<[string, Partial<MachineFacts>, RegExp]>([
  ['no engine', {}, /start Docker or Podman/],
  ['an engine that reaches no registry, on another system', { hasEngine: true }, /needs Debian and root/],
])('%s cannot, and is told why', (_, facts, why) => {
  const option = decide({ ...nothing, ...facts });
  expect(option.possible).toBe(false);
  expect(option.why).toMatch(why);
});

test('a source on the command line is one of two words', () => {
  expect(parseSource('public')).toBe('public');
  expect(parseSource(undefined)).toBeUndefined();
  expect(() => parseSource('cache')).toThrow('not "cache"');
});
