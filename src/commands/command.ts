/** What every command states of itself. */
import type { Flag, FlagValues } from './flags.ts';
import type { Io } from './io.ts';

export interface Command {
  readonly flags: readonly Flag[];
  /** Shown below the flags: exit codes, an example. */
  readonly details?: string;
  /** The exit code. Throws `UsageError`, `InputError`, `KubeError` or a plain `Error` whose message is for the user. */
  run(flags: FlagValues, io: Io): Promise<number>;
}

/** The command line, the input or the cluster cannot be used: nothing was decided. */
export const EXIT_ERROR = 1;
/** The command did its work, and the answer is not the one hoped for: a refusal, a change, a dangerous grant. */
export const EXIT_FOUND = 2;
/** The command did its work, and there is no answer either way. */
export const EXIT_INCONCLUSIVE = 3;
