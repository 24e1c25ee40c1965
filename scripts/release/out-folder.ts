/** The folder that a release is put into. What is there makes room only if it is an earlier release, and only for one that is whole. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ScriptError } from '../lib/errors.ts';

export const CHECKSUMS = 'SHA256SUMS';
const SIGNED_CHECKSUMS = `${CHECKSUMS}.asc`;
/** How names in a release begin: other people write a SHA256SUMS beside their files as well. */
const OURS = /^(agentplane|image|CHANGES)-/;
/** Named in a refusal: the rest is counted. */
const SHOWN = 5;

/** Names of the earlier release in the folder, its sums last; none where it is empty. Throws a `ScriptError` if it holds anything else. */
export async function earlierRelease(out: string): Promise<readonly string[]> {
  const found = await entriesOf(out);
  const files = found.filter((entry) => entry.isFile()).map(({ name }) => name);
  const released = files.includes(CHECKSUMS) ? await releasedNames(path.join(out, CHECKSUMS)) : new Set<string>();
  // A folder or a link is none of ours, whatever it is called.
  const foreign = found.filter((entry) => !entry.isFile() || !released.has(entry.name)).map(({ name }) => name);
  if (foreign.length > 0) {
    const more = foreign.length > SHOWN ? ` and ${foreign.length - SHOWN} more` : '';
    const names = `${foreign.sort().slice(0, SHOWN).join(', ')}${more}`;
    throw new ScriptError(
      'BadUsage',
      `--out ${out}: it holds files that are no release: ${names}; name an empty folder`,
    );
  }
  return [...files.filter((name) => name !== CHECKSUMS), ...files.filter((name) => name === CHECKSUMS)];
}

/** Puts the files of `made` in the place of the earlier release. Returns their names, sorted. */
export async function putInPlace(made: string, out: string): Promise<readonly string[]> {
  const names = (await readdir(made)).sort();
  const earlier = await earlierRelease(out);
  await mkdir(out, { recursive: true });
  // On the file system of `out`: a disk that is full is full before anything was deleted.
  const incoming = await mkdtemp(path.join(out, '.incoming-'));
  try {
    for (const name of names) await copyFile(path.join(made, name), path.join(incoming, name));
    // The old sums go last and the new ones come first: whatever stops this, the folder holds only what its sums name.
    for (const name of earlier) await rm(path.join(out, name));
    const inOrder = [...names.filter((name) => name === CHECKSUMS), ...names.filter((name) => name !== CHECKSUMS)];
    for (const name of inOrder) await rename(path.join(incoming, name), path.join(out, name));
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
  return names;
}

async function entriesOf(out: string) {
  return readdir(out, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new ScriptError('BadUsage', `--out ${out}: ${messageOf(error)}`, { cause: error });
  });
}

/** What these sums name, as far as a release has such names, and the signatures that may lie beside. */
async function releasedNames(checksums: string): Promise<ReadonlySet<string>> {
  const lines = (await readFile(checksums, 'utf8')).split('\n');
  const summed = lines.map((line) => /^[0-9a-f]{64} {2}(.+)$/.exec(line)?.[1] ?? '').filter((name) => OURS.test(name));
  return new Set([CHECKSUMS, SIGNED_CHECKSUMS, ...summed, ...summed.map((name) => `${name}.prov`)]);
}
