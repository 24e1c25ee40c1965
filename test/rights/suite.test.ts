/** The rights that our identities hold are those that the levels before this one have seen used: no more, and no fewer. */
import { describe, expect, it } from 'vitest';
import { handedOver } from '../support/uses.ts';
import { allowedBeyond, askedBeyond, declared, neverUsed } from './judge.ts';

const handed = await handedOver();
const uses = handed.flatMap((each) => each.uses);
const seen = new Set(handed.map(({ level }) => level));
const nothing = seen.size === 0;
const unfinished = !seen.has('api');

// A reason for a skip is not printed by itself.
if (unfinished) {
  const compared = nothing ? 'nothing is compared' : 'unused rights are not looked for';
  console.log(`the level api has recorded nothing, so that ${compared}: npm test runs both`);
}

describe('what our identities asked the control planes of all levels for', () => {
  it.skipIf(nothing)(
    'was allowed by a right that rbac/ declares, through its own role, or by what every account has',
    () => {
      expect(uses.filter(({ byProgram }) => byProgram)).not.toEqual([]);
      expect(allowedBeyond(uses, declared)).toEqual([]);
    },
  );

  it.skipIf(nothing)('was refused to our programs only where it is declared, and a test had taken it away', () => {
    expect(askedBeyond(uses, declared)).toEqual([]);
  });

  /** No exceptions: the level api brings every right about, those of the probe's pods as well. */
  it.skipIf(unfinished)('is, by our own programs, everything that rbac/ declares', () => {
    expect(neverUsed(uses, declared)).toEqual([]);
  });
});
