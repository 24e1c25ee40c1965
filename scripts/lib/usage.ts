import { messageOf, ScriptError } from './errors.ts';

/** Runs `parseArgs`, which says in one good sentence what is wrong with a command line: without a stack trace around it. */
export function parseUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new ScriptError('BadUsage', `${messageOf(error)}; --help says what there is`, { cause: error });
  }
}
