import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_ADDRESSES, blocksOf, readAddress, readBlock, readBlocks } from './addresses.ts';
import { type Ranges, rangesOf, subtractRanges } from './ranges.ts';

const ENOUGH = { left: Number.POSITIVE_INFINITY };

describe('blocks', () => {
  it.each(['203.0.113.0/24', '0.0.0.0/0', '::/0', '2001:db8::/32', '203.0.113.7/32', '::1/128'])(
    '%s is read and written alike',
    (cidr) => {
      const block = readBlock(cidr);
      expect(block && blocksOf([block], ENOUGH)).toEqual([cidr]);
    },
  );

  it.each([
    '',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '010.0.0.1/32',
    '0x0a.0.0.1',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    'x/8',
    '::/129',
  ])('%s is none', (text) => expect(readBlock(text)).toBeUndefined());

  it('of the two families are apart', () => {
    expect(readAddress('0.0.0.1')).not.toBe(readAddress('::1'));
    expect(blocksOf(ALL_ADDRESSES, ENOUGH)).toEqual(['::/0', '0.0.0.0/0']);
  });

  it('are the addresses between them, whatever is taken out', () => {
    const octet = fc.nat(255);
    const hole = fc
      .tuple(octet, octet, fc.integer({ min: 8, max: 32 }))
      .map(([a, b, length]) => `10.${a}.${b}.0/${length}`);
    fc.assert(
      fc.property(fc.array(hole, { maxLength: 6 }), (holes) => {
        const ranges = readBlocks('10.0.0.0/8', holes) ?? [];
        const back = rangesOf(blocksOf(ranges, ENOUGH).flatMap((cidr) => readBlock(cidr) ?? []));
        expect(back).toEqual(ranges);
        expect(
          subtractRanges(
            [...ranges],
            holes.flatMap((cidr): Ranges => [readBlock(cidr)].filter((b) => b !== undefined)),
          ),
        ).toEqual(ranges);
      }),
    );
  });
});
