/** Which test file comes first: one that waits for most of a minute must not be the last to begin. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { REPOSITORY } from '../lib/repository.ts';

/** Of the level api, what waits for the longest: for an API server that is away, and for a process that is gone to be replaced. */
export const LONG = ['api/fire/outage', 'api/fire/crash'].map((name) =>
  path.join(REPOSITORY, 'test', `${name}.test.ts`),
);

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
