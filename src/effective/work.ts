/**
 * What one comparison may cost, in steps that are counted: the same policies give the same answer on every machine. Policies of others
 * may be as large as an API server stores, and what they are made of multiplies.
 */
export interface Work {
  left: number;
}

class TooMuchWork extends Error {}

/** Ends the `attempt` around it when nothing is left. To be called before the steps are taken. */
export function spend(work: Work, steps: number): void {
  work.left -= steps;
  if (work.left < 0) throw new TooMuchWork();
}

/** Undefined when the work has run out. */
export function attempt<T>(work: Work, run: (work: Work) => T): T | undefined {
  try {
    return run(work);
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}
