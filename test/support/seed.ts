/**
 * The seed of property tests: fixed, so that a run of CI can be repeated; `AGENTPLANE_SEED` sets another. A property that fails prints its
 * seed, its path and the smallest counterexample.
 */
import process from 'node:process';

const DEFAULT_SEED = 20260101;

export function seeded(numRuns: number): { readonly seed: number; readonly numRuns: number } {
  const text = process.env.AGENTPLANE_SEED ?? String(DEFAULT_SEED);
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new Error(`AGENTPLANE_SEED must be an integer, not "${text}"`);
  return { seed, numRuns };
}
