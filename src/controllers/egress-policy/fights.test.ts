import { describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../kube/testing/fake-clock.ts';
import type { Drift } from '../drift.ts';
import { createFights, type Fights } from './fights.ts';

const contested = { uid: 'uid', digest: 'sha256:a' };
const drift: Drift = { manager: 'fighter', field: '.spec.egress' };
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Undone every `everyMs` for `forMs`: restores unless there is an objection. When it was restored, in milliseconds. */
function fight(fights: Fights, clock: FakeClock, { everyMs, forMs, drifts = () => drift }: Fighter): readonly number[] {
  const restoredAt: number[] = [];
  for (let now = 0, round = 0; now < forMs; now += everyMs, round += 1) {
    const undone = drifts(round);
    if (fights.objection(contested, undone) === undefined) {
      fights.restored(contested, undone);
      restoredAt.push(now);
    }
    clock.freeze(everyMs);
  }
  return restoredAt;
}

interface Fighter {
  readonly everyMs: number;
  readonly forMs: number;
  readonly drifts?: (round: number) => Drift;
}

function world(): { readonly clock: FakeClock; readonly fights: Fights } {
  const clock = createFakeClock();
  return { clock, fights: createFights(clock) };
}

describe('a fighter', () => {
  it('at 1 Hz is restored against twice, then once after 5, 10, 20, 30 and 30 minutes', () => {
    const { clock, fights } = world();
    const restoredAt = fight(fights, clock, { everyMs: SECOND, forMs: 100 * MINUTE });
    expect(restoredAt.map((ms) => Math.round(ms / MINUTE))).toEqual([0, 0, 5, 15, 35, 65, 95]);
  });

  it('at 1 Hz that has a new name each time costs a few rounds more, and no more', () => {
    const { clock, fights } = world();
    const drifts = (round: number) => ({ ...drift, manager: `fighter-${round}` });
    const restoredAt = fight(fights, clock, { everyMs: SECOND, forMs: 100 * MINUTE, drifts });
    expect(restoredAt.map((ms) => Math.round(ms / MINUTE))).toEqual([0, 0, 0, 0, 0, 5, 15, 35, 65, 95]);
  });

  it('every two minutes is none: restored each time', () => {
    const { clock, fights } = world();
    expect(fight(fights, clock, { everyMs: 2 * MINUTE, forMs: 20 * MINUTE })).toHaveLength(10);
  });
});

describe('an objection', () => {
  it('names manager, field and back-off, and says when to try again', () => {
    const { clock, fights } = world();
    fight(fights, clock, { everyMs: SECOND, forMs: 2 * SECOND });
    expect(fights.objection(contested, drift)).toEqual({
      ok: false,
      reason: 'ContestedField',
      message:
        'fighter changed .spec.egress again and again; restoring it is put off for 5 minutes: let only one of the two decide',
      retryAfterMs: 5 * MINUTE,
    });
    clock.freeze(MINUTE);
    // What else happens meanwhile is left as well, under the name of who is fought with.
    expect(fights.objection(contested, {})).toMatchObject({
      message: expect.stringMatching(/^fighter/),
      retryAfterMs: 4 * MINUTE,
    });
  });

  it('is not raised against another policy, nor against another spec', () => {
    const { clock, fights } = world();
    fight(fights, clock, { everyMs: SECOND, forMs: 3 * SECOND });
    expect(fights.objection({ ...contested, uid: 'other' }, drift)).toBeUndefined();
    expect(fights.objection({ ...contested, digest: 'sha256:b' }, drift)).toBeUndefined();
    expect(fights.objection(contested, drift)).toBeDefined();
  });

  it('is forgotten half an hour after the contest is over', () => {
    const { clock, fights } = world();
    fight(fights, clock, { everyMs: SECOND, forMs: 3 * SECOND });
    clock.freeze(35 * MINUTE);
    expect(fight(fights, clock, { everyMs: SECOND, forMs: 3 * SECOND })).toHaveLength(2);
  });
});

describe('a restoration', () => {
  it('is shown for five minutes from the last one', () => {
    const { clock, fights } = world();
    fights.restored(contested, drift);
    clock.freeze(4 * MINUTE);
    fights.restored(contested, { field: '.specs' });
    clock.freeze(4 * MINUTE);
    expect(fights.latest(contested)).toEqual({ drift: { field: '.specs' }, agoMs: 4 * MINUTE });
    clock.freeze(MINUTE);
    expect(fights.latest(contested)).toBeUndefined();
  });
});
