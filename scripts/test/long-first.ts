/** Which test file comes first: one that waits for most of a minute must not be the last to begin. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { REPOSITORY } from '../lib/repository.ts';

/**
 * Of the level cluster: the file that stops the targets comes when the clusters of the other flavours have used them. Of the level api: the
 * one that takes the API server away for half a minute, which would be the last to begin by its size.
 */
export const LONG = ['cluster/cilium', 'cluster/upgrade', 'cluster/probe', 'api/fire/outage'].map((name) =>
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
