import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/support/seed.ts';
import { openings } from './compare.ts';
import { decide } from './decide.ts';
import { CILIUM, ciliumPolicy, egressOf, flow, networkPolicy, outside, PLAIN } from './testing/scene.ts';
import type { Egress } from './types.ts';

describe('what cannot be told', () => {
  const unknown = (name: string, serviceName: string) =>
    ciliumPolicy({ egress: [{ toServices: [{ k8sService: { serviceName } }] }] }, name);
  const between = (a: object, b: object) => openings(egressOf(CILIUM, [], [a]), egressOf(CILIUM, [], [b])).length;

  it('is covered by itself, and by nothing else', () => {
    expect(between(unknown('a', 'x'), unknown('a', 'x'))).toBe(0);
    expect(between(unknown('a', 'x'), unknown('a', 'y'))).toBe(1);
    expect(between(unknown('a', 'x'), unknown('b', 'x'))).toBe(1);
    expect(between(ciliumPolicy({ egress: [{ toEntities: ['all'] }] }), unknown('a', 'x'))).toBe(0);
  });
});

describe('for addresses and ports', () => {
  const ADDRESSES = Array.from({ length: 8 }, (_, index) => `10.0.0.${index}`);
  const PORTS = [1, 2, 3, 4];
  const cidr = fc.tuple(fc.nat(7), fc.constantFrom(29, 30, 31, 32)).map(([host, length]) => `10.0.0.${host}/${length}`);
  const rule = fc.record({
    to: fc.array(fc.record({ ipBlock: fc.record({ cidr, except: fc.array(cidr, { maxLength: 2 }) }) }), {
      minLength: 1,
      maxLength: 3,
    }),
    ports: fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3))
      .map(([port, more]) => [{ port, endPort: Math.min(4, port + more) }]),
  });
  const policies = fc
    .array(rule, { maxLength: 6 })
    .map((egress) => egressOf(PLAIN, [networkPolicy({ policyTypes: ['Egress'], egress })]));
  const allowed = (egress: Egress) =>
    ADDRESSES.flatMap((address) =>
      PORTS.filter((port) => decide(egress, flow(outside(address), port)).allowed).map((port) => `${address}:${port}`),
    );

  it('the difference is exact: each flow of it, and no other', () => {
    fc.assert(
      fc.property(policies, policies, (first, second) => {
        const grants = openings(first, second);
        const was = new Set(allowed(first));
        expect(allowed({ isolated: true, grants, denies: [] })).toEqual(allowed(second).filter((one) => !was.has(one)));
      }),
      seeded(200),
    );
  });
});
