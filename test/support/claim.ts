/**
 * A governed namespace belongs to one test file. Which files share a control plane differs from run to run, so two files with one
 * namespace would meet what the other has left behind, sometimes.
 */
import { mkdir, readlink, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, inject } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';

/** Fails if another file of this run has claimed one of them, on whichever control plane. */
export async function claimNamespaces(names: readonly string[]): Promise<void> {
  const shared = inject('controlPlanes')[0]?.folder;
  const file = expect.getState().testPath;
  if (shared === undefined || file === undefined)
    throw new Error('namespaces are claimed by a test file of this level');
  const folder = join(shared, 'claimed-namespaces');
  await mkdir(folder, { recursive: true });
  const claimant = relative(REPOSITORY, file);
  for (const name of names) {
    const claim = join(folder, name);
    // A link is made whole or not at all; it leads nowhere.
    await symlink(claimant, claim).catch(ignoreExisting);
    const holder = await readlink(claim);
    if (holder !== claimant) {
      throw new Error(`namespace ${name} of ${claimant} is the namespace of ${holder}: give it a name of its own`);
    }
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
