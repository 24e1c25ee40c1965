import { expect, test } from 'vitest';
import { coreDnsBlock, planTargets } from './target-plan.ts';

test('addresses come from the end of the IPv4 range, and no two targets share one', () => {
  const { addresses } = planTargets(['fc00:f853:ccd:e793::/64', '10.89.0.0/24']);
  expect(addresses.api).toBe('10.89.0.201');
  expect(new Set(Object.values(addresses)).size).toBe(Object.keys(addresses).length);
});

test('a wide network of docker gives addresses inside it', () => {
  expect(planTargets(['172.18.0.0/16']).addresses.evil).toBe('172.18.255.206');
});

test('a network without room says what there was', () => {
  expect(() => planTargets(['fc00::/64', '10.0.0.0/30'])).toThrow('fc00::/64, 10.0.0.0/30');
});

test('every name is in the block of CoreDNS, with its own address', () => {
  const plan = planTargets(['10.89.0.0/24']);
  for (const [host, address] of Object.entries(plan.records))
    expect(coreDnsBlock(plan)).toContain(`${address} ${host}\n`);
  expect(Object.keys(plan.records)).toEqual([
    'api.example.test',
    'cdn.example.test',
    'a.cdn.example.test',
    'a.b.cdn.example.test',
    'second.example.test',
    'evil.example.test',
    'rebind.example.test',
  ]);
});
