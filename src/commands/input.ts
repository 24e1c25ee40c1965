/** The policies and profiles that a command is given. */
import { type Sorted, sortManifests } from '../explain/input.ts';
import { InputError } from '../manifests/manifest.ts';
import { readManifests } from '../manifests/read.ts';
import type { Io } from './io.ts';

/** Nothing to judge is no success: most often the wrong files were named. */
export async function sortedInput(files: readonly string[], defaultNamespace: string, io: Io): Promise<Sorted> {
  const sorted = sortManifests(await readManifests(files, { stdin: io.stdin, defaultNamespace }), defaultNamespace);
  if (sorted.problems.length > 0) throw new InputError(sorted.problems);
  if (sorted.skipped.size > 0) {
    const kinds = [...sorted.skipped].map(([kind, count]) => `${count} ${kind}`).join(', ');
    io.note(`skipped what is not an EgressPolicy or RuntimeProfile: ${kinds}`);
  }
  if (sorted.policies.length + sorted.profiles.length === 0) {
    throw new InputError([{ file: files.join(', '), message: 'holds no EgressPolicy and no RuntimeProfile' }]);
  }
  return sorted;
}
