/** Which test file comes first where nothing is known from an earlier run: one that waits for most of a minute must not be the last to begin. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { REPOSITORY } from '../lib/repository.ts';

/** Those of the level api that take longest, longest first. */
export const LONG = [
  'fire/crash',
  'write-budget',
  'chart-upgrade',
  'policy-bundle',
  'profile-budget',
  'fire/outage',
  'fire/revocation',
  'chart-install',
  'chart-ownership',
  'chart-live',
  'providers',
  'probe',
  'profile-deletion',
  'fire/bundle-revocation',
].map((name) => path.join(REPOSITORY, 'test/api', `${name}.test.ts`));

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
