import { clusterName, type FlavourName } from '../../scripts/clusters/flavours.ts';
import type { Progress } from '../../scripts/clusters/progress.ts';
import { holdLock, machineLock } from '../../scripts/lib/lock.ts';

/** As long as the tests of a flavour or a demo may take, and a margin. */
const RESERVED_MS = 12 * 60_000;

/**
 * Keeps other test runs and demos of this machine away from the cluster of the flavour: there is one of each, whatever cache its
 * parts come from, and whoever uses it installs, uninstalls and removes there. Returns what gives it back.
 */
export function reserveCluster(progress: Progress, flavour: FlavourName): Promise<() => Promise<void>> {
  const file = machineLock(`use-${clusterName(flavour)}`);
  const onWait = (pid: number) => progress.note(`waiting for process ${pid}, which uses ${clusterName(flavour)}`);
  return holdLock(file, { timeoutMs: RESERVED_MS, onWait });
}
