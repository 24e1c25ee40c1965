/** The rights that our identities hold are those that the levels before this one have seen used: no more, and no fewer. */
import { describe, expect, it } from 'vitest';
import { USES_LEVELS } from '../../scripts/test/levels.ts';
import { handedOver } from '../support/uses.ts';
import { allowedBeyond, askedBeyond, declared, neverUsed } from './judge.ts';

const handed = await handedOver();
const uses = handed.flatMap((each) => each.uses);
/** Of the run that this is the end of: none when the level is run alone. */
const levels = (process.env[USES_LEVELS] ?? '').split(',').filter((level) => level !== '');
const nothing = levels.length === 0;
const unfinished = !levels.includes('api');

// A reason for a skip is not printed by itself.
if (unfinished) {
  const compared = nothing ? 'nothing is compared' : 'unused rights are not looked for';
  console.log(`the level api is no part of this run, so that ${compared}: npm test runs both`);
}

describe('what our identities asked the control planes of all levels for', () => {
  it.skipIf(nothing)('has been handed over by every level that ran', () => {
    expect(new Set(handed.map(({ level }) => level))).toEqual(new Set(levels));
    expect(uses.filter(({ byProgram }) => byProgram)).not.toEqual([]);
  });

  it.skipIf(nothing)(
    'was allowed by a right that rbac/ declares, through its own role, or by what every account has',
    () => {
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
