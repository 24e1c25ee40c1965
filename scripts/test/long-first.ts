/** Which test file comes first where nothing is known from an earlier run: one that waits for most of a minute must not be the last to begin. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { REPOSITORY } from '../lib/repository.ts';

/**
 * Those of the level api that take longest, longest first; and of the level cluster, so that the one that stops the targets comes when the
 * clusters of the other flavours have used them.
 */
export const LONG = [
  ...['cluster/cilium', 'cluster/upgrade', 'cluster/probe'],
  'api/fire/crash',
  'api/write-budget',
  'api/chart-upgrade',
  'api/policy-bundle',
  'api/profile-budget',
  'api/fire/outage',
  'api/fire/revocation',
  'api/chart-install',
  'api/chart-ownership',
  'api/chart-live',
  'api/providers',
  'api/probe',
  'api/profile-deletion',
  'api/fire/bundle-revocation',
].map((name) => path.join(REPOSITORY, 'test', `${name}.test.ts`));

/** The rest keeps its order. */
export function longFirst<T extends { readonly moduleId: string }>(files: readonly T[]): T[] {
  const long = LONG.flatMap((name) => files.filter(({ moduleId }) => moduleId === name));
  return [...long, ...files.filter((file) => !long.includes(file))];
}

/** Sorted as Vitest would, by duration or size, after those that are known to be long. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files));
  }
}
