/** Debian's package tool. It fails where another process works on its lists, so one at a time uses it on this machine. */
import { type RunOptions, run } from './exec.ts';
import { machineLock, withLock } from './lock.ts';

/** An installation of all that clusters are built with takes a minute or two. */
const APT_LOCK_MS = 15 * 60_000;

/** Runs `apt-get` with these arguments, without asking anybody. @throws ScriptError `CommandFailed` */
export type Apt = (args: readonly string[], options: Pick<RunOptions, 'cwd' | 'logPath'>) => Promise<string>;

const aptGet: Apt = (args, options) => run('apt-get', args, { ...options, env: { DEBIAN_FRONTEND: 'noninteractive' } });

/**
 * Not to be nested. Whoever had to wait looks first whether the other has done the work. `onWait` is told once, with the process that is
 * waited for.
 */
export function withApt<T>(work: (apt: Apt) => Promise<T>, onWait?: (holder: number) => void): Promise<T> {
  const options = { timeoutMs: APT_LOCK_MS, ...(onWait === undefined ? {} : { onWait }) };
  return withLock(machineLock('apt'), options, () => work(aptGet));
}
