/**
 * Remembers what was restored lately, and stops where somebody undoes it again and again: two that overwrite each other at full speed
 * would cost the API server more than either is worth. Kept in memory: after a restart a fight is noticed afresh. ADR 0011.
 */
import type { Clock } from '../../kube/clock.ts';
import { type Drift, describeDrift } from '../drift.ts';
import type { Failure } from '../ensure.ts';

/** Restorations count as one fight when they are this close together. */
export const FIGHT_WINDOW_MS = 60_000;
/** The same field is restored this often against the same manager ... */
export const SAME_ROUNDS = 2;
/** ... and the object this often against anybody: names of managers are free to choose. */
export const ANY_ROUNDS = 5;
export const FIRST_BACKOFF_MS = 5 * 60_000;
export const MAX_BACKOFF_MS = 30 * 60_000;
/** How long a restoration stays visible in the status. */
export const DRIFT_VISIBLE_MS = 5 * 60_000;

/** What is fought over: the outputs of a policy, as compiled. */
export interface Contested {
  readonly uid: string;
  readonly digest: string;
}

export interface Restored {
  readonly drift: Drift;
  /** Milliseconds since it was restored. */
  readonly agoMs: number;
}

export interface Fights {
  /** Why the drift is to be left alone for now; undefined when it is to be restored. */
  objection(contested: Contested, drift: Drift): Failure | undefined;
  restored(contested: Contested, drift: Drift): void;
  /** The latest restoration that is still worth showing. */
  latest(contested: Contested): Restored | undefined;
}

interface Round {
  readonly drift: Drift;
  readonly atMs: number;
}

interface Contest {
  readonly drift: Drift;
  readonly untilMs: number;
  readonly backoffMs: number;
}

interface Fight {
  readonly digest: string;
  readonly rounds: readonly Round[];
  readonly contest?: Contest;
}

export function createFights(clock: Clock): Fights {
  const byUid = new Map<string, Fight>();
  const fightOf = ({ uid, digest }: Contested): Fight => {
    const nowMs = clock.monotonicMs();
    for (const [key, fight] of byUid) if (isOver(fight, nowMs)) byUid.delete(key);
    const known = byUid.get(uid);
    // Another spec is another matter: it is tried at once.
    return known?.digest === digest ? known : { digest, rounds: [] };
  };
  return {
    objection(contested, drift) {
      const nowMs = clock.monotonicMs();
      const fight = fightOf(contested);
      const running = fight.contest !== undefined && nowMs < fight.contest.untilMs ? fight.contest : undefined;
      const contest = running ?? nextContest(fight, drift, nowMs);
      if (contest === undefined) return undefined;
      if (running === undefined) byUid.set(contested.uid, { ...fight, contest });
      return failureOf(contest, nowMs);
    },
    restored(contested, drift) {
      const nowMs = clock.monotonicMs();
      const fight = fightOf(contested);
      const rounds = fight.rounds.filter(({ atMs }) => nowMs - atMs < DRIFT_VISIBLE_MS);
      byUid.set(contested.uid, { ...fight, rounds: [...rounds, { drift, atMs: nowMs }] });
    },
    latest(contested) {
      const last = fightOf(contested).rounds.at(-1);
      if (last === undefined) return undefined;
      const agoMs = clock.monotonicMs() - last.atMs;
      return agoMs < DRIFT_VISIBLE_MS ? { drift: last.drift, agoMs } : undefined;
    },
  };
}

/** After a contest a single restoration shows whether it is over. When it is not, the next one lasts twice as long. */
function nextContest({ rounds, contest }: Fight, drift: Drift, nowMs: number): Contest | undefined {
  const recent = rounds.filter(({ atMs }) => nowMs - atMs < FIGHT_WINDOW_MS);
  const same = recent.filter((round) => round.drift.manager === drift.manager && round.drift.field === drift.field);
  const limit = contest === undefined ? ANY_ROUNDS : 1;
  if (same.length < SAME_ROUNDS && recent.length < limit) return undefined;
  const backoffMs = contest === undefined ? FIRST_BACKOFF_MS : Math.min(2 * contest.backoffMs, MAX_BACKOFF_MS);
  return { drift, backoffMs, untilMs: nowMs + backoffMs };
}

/** Forgotten once nothing is to be shown, and a contest has been over for as long as the longest one lasts. */
function isOver({ rounds, contest }: Fight, nowMs: number): boolean {
  const shown = rounds.some(({ atMs }) => nowMs - atMs < DRIFT_VISIBLE_MS);
  return !shown && (contest === undefined || nowMs >= contest.untilMs + MAX_BACKOFF_MS);
}

function failureOf({ drift, untilMs, backoffMs }: Contest, nowMs: number): Failure {
  const message = `${describeDrift(drift)} again and again; restoring it is put off for ${backoffMs / 60_000} minutes: let only one of the two decide`;
  return { ok: false, reason: 'ContestedField', message, retryAfterMs: untilMs - nowMs };
}
