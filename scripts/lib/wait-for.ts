import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, ScriptError } from './errors.ts';

export interface WaitOptions {
  /** Milliseconds until the wait fails with `NotReady`. */
  readonly timeoutMs: number;
  /** Milliseconds between two looks. */
  readonly intervalMs?: number;
}

/** A look at the world: `done` with a value, or what was seen instead, for the message of a failed wait. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly saw: string };

/**
 * Looks until the condition holds, and returns its value. A look that throws counts as "not yet".
 * When time is up, the error says what was awaited and what the last look saw.
 */
export async function waitFor<T>(what: string, options: WaitOptions, look: () => Promise<Look<T>>): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  let saw = 'nothing yet';
  for (;;) {
    try {
      const seen = await look();
      if (seen.done) return seen.value;
      saw = seen.saw;
    } catch (error) {
      saw = messageOf(error);
    }
    if (performance.now() >= deadline) {
      throw new ScriptError('NotReady', `waited ${options.timeoutMs} ms for ${what}; last seen: ${saw}`);
    }
    await delay(options.intervalMs ?? 200);
  }
}

/** As `waitFor`, for a condition without a value. */
export async function waitUntil(what: string, options: WaitOptions, holds: () => Promise<boolean>): Promise<void> {
  await waitFor(what, options, async () =>
    (await holds()) ? { done: true, value: undefined } : { done: false, saw: 'condition is false' },
  );
}
