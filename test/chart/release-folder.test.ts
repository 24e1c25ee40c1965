/** The folder of a release: only an earlier release makes room, only for one that is whole, and nothing else in it is ever deleted. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashFile } from '../../scripts/lib/hash.ts';
import { earlierRelease, putInPlace } from '../../scripts/release/out-folder.ts';
import { buildRelease } from '../../scripts/release/release.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';

let folder: string;
let out: string;

/** A release with these files; signatures and sums are not summed. */
async function release(target: string, names: readonly string[]): Promise<void> {
  await mkdir(target, { recursive: true });
  const lines: string[] = [];
  for (const name of names) {
    await writeFile(path.join(target, name), `${name} in ${path.basename(target)}`);
    if (!/^SHA256SUMS/.test(name)) lines.push(`${await hashFile(path.join(target, name))}  ${name}\n`);
  }
  await writeFile(path.join(target, 'SHA256SUMS'), lines.join(''));
}

const EARLIER = ['CHANGES-1.0.0.md', 'SHA256SUMS.asc', 'agentplane-1.0.0.tgz', 'agentplane-1.0.0.tgz.prov'];

/** Path to content, of everything below the folder. */
async function contents(of: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(of, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => [path.relative(of, file), await readFile(file, 'utf8')]));
  return Object.fromEntries(texts) as Readonly<Record<string, string>>;
}

/** A build whose steps are these; nothing of it gets as far as the image. */
async function build(step: (name: string) => 'works' | 'fails'): Promise<string> {
  const options = { version: PRODUCT_VERSION, out, work: path.join(folder, 'work') };
  return buildRelease({
    ...options,
    step: (name, work) => (step(name) === 'works' ? work('') : Promise.reject(new Error(`${name} failed`))),
  }).then(
    () => 'built',
    (error: unknown) => String(error),
  );
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentplane-release-folder-'));
  out = path.join(folder, 'out');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('what an earlier release is', () => {
  it('none, where the folder is not there or is empty', async () => {
    expect(await earlierRelease(out)).toEqual([]);
    await mkdir(out);
    expect(await earlierRelease(out)).toEqual([]);
  });

  it('what its sums name, and the signatures beside, listed or not', async () => {
    await release(out, EARLIER);
    expect([...(await earlierRelease(out))].sort()).toEqual([...EARLIER, 'SHA256SUMS'].sort());
    const sums = await readFile(path.join(out, 'SHA256SUMS'), 'utf8');
    await writeFile(path.join(out, 'SHA256SUMS'), sums.replace(/^.*prov\n/m, ''));
    expect([...(await earlierRelease(out))].sort()).toEqual([...EARLIER, 'SHA256SUMS'].sort());
  });

  it('also what is left of one that was half deleted', async () => {
    await release(out, EARLIER);
    await rm(path.join(out, 'agentplane-1.0.0.tgz'));
    expect(await earlierRelease(out)).toContain('agentplane-1.0.0.tgz.prov');
  });
});

const FOREIGN: readonly (readonly [string, (into: string) => Promise<unknown>])[] = [
  ['notes.txt', (into) => writeFile(path.join(into, 'notes.txt'), 'mine')],
  ['.git', (into) => mkdir(path.join(into, '.git/objects'), { recursive: true })],
  ['empty', (into) => mkdir(path.join(into, 'empty'))],
  ['agentplane-9.9.9.tgz', (into) => writeFile(path.join(into, 'agentplane-9.9.9.tgz'), 'not of this one')],
  ['agentplane-9.9.9.tgz.prov', (into) => writeFile(path.join(into, 'agentplane-9.9.9.tgz.prov'), 'neither')],
  ['link', (into) => symlink(folder, path.join(into, 'link'))],
];

describe('a folder with something else in it', () => {
  it.each(FOREIGN)(
    '%s is refused by its name and keeps all it has; without it a release moves in',
    async (name, add) => {
      await release(out, EARLIER);
      const before = await contents(out);
      await add(out);
      const made = path.join(folder, 'made');
      await release(made, ['agentplane-1.1.0.tgz']);
      const refused = `it holds files that are no release: ${name}`;
      expect(await build(() => 'fails')).toContain(refused);
      await expect(putInPlace(made, out)).rejects.toThrow(refused);
      expect(await readdir(out)).toContain(name);
      await rm(path.join(out, name), { recursive: true });
      expect(await contents(out)).toEqual(before);
      expect(await putInPlace(made, out)).toEqual(['SHA256SUMS', 'agentplane-1.1.0.tgz']);
    },
  );

  it('is refused where sums name a folder, a link, what lies elsewhere, or files of somebody else', async () => {
    const sums = (name: string) => writeFile(path.join(out, 'SHA256SUMS'), `${'a'.repeat(64)}  ${name}\n`);
    await mkdir(path.join(out, 'agentplane-src'), { recursive: true });
    await sums('agentplane-src');
    await expect(earlierRelease(out)).rejects.toThrow('no release: agentplane-src');
    await rm(path.join(out, 'agentplane-src'), { recursive: true });
    await symlink(folder, path.join(out, 'agentplane-link'));
    await sums('agentplane-link');
    await expect(earlierRelease(out)).rejects.toThrow('no release: agentplane-link');
    await rm(path.join(out, 'agentplane-link'));
    await writeFile(path.join(out, 'debian.iso'), 'downloaded');
    await sums('debian.iso');
    await expect(earlierRelease(out)).rejects.toThrow('no release: debian.iso');
    await rm(path.join(out, 'debian.iso'));
    await sums('../agentplane-1.0.0.tgz');
    expect(await earlierRelease(out)).toEqual(['SHA256SUMS']);
  });

  it('is refused without sums, even if its files have the names of a release', async () => {
    await release(out, EARLIER);
    await rm(path.join(out, 'SHA256SUMS'));
    await expect(earlierRelease(out)).rejects.toThrow('files that are no release');
    await rm(out, { recursive: true });
    await writeFile(out, 'a file');
    await expect(earlierRelease(out)).rejects.toThrow('--out');
  });
});

describe('a build that fails', () => {
  it.each(['charts', 'image'])('in the step %s leaves the release before as it was', async (failing) => {
    await release(out, EARLIER);
    const before = await contents(out);
    expect(await build((name) => (name === failing ? 'fails' : 'works'))).toContain(`${failing} failed`);
    expect(await contents(out)).toEqual(before);
  });

  it('leaves no folder where none was, so that the next one is not refused', async () => {
    expect(await build((name) => (name === 'image' ? 'fails' : 'works'))).toContain('image failed');
    await expect(readdir(out)).rejects.toThrow('ENOENT');
    expect(await earlierRelease(out)).toEqual([]);
  });
});

describe('a release that is whole', () => {
  it('takes the place of the one before, with nothing of it left', async () => {
    await release(out, EARLIER);
    const made = path.join(folder, 'made');
    await release(made, ['SHA256SUMS.asc', 'agentplane-1.1.0.tgz']);
    const expected = await contents(made);
    expect(await putInPlace(made, out)).toEqual(['SHA256SUMS', 'SHA256SUMS.asc', 'agentplane-1.1.0.tgz']);
    expect(await contents(out)).toEqual(expected);
  });

  it('leaves the one before as it was when it cannot be copied', async () => {
    await release(out, EARLIER);
    const before = await contents(out);
    const made = path.join(folder, 'made');
    await release(made, ['agentplane-1.1.0.tgz']);
    // No file, so that the copy fails after the first.
    await mkdir(path.join(made, 'agentplane-folder'));
    await expect(putInPlace(made, out)).rejects.toThrow();
    expect(await contents(out)).toEqual(before);
    expect(await earlierRelease(out)).toHaveLength(EARLIER.length + 1);
  });

  it('that stopped while it moved in is cleared away by the next', async () => {
    const made = path.join(folder, 'made');
    await release(made, ['agentplane-1.1.0.tgz', 'agentplane-crds-1.1.0.tgz']);
    await mkdir(out);
    for (const name of ['SHA256SUMS', 'agentplane-1.1.0.tgz']) await cp(path.join(made, name), path.join(out, name));
    expect(await putInPlace(made, out)).toHaveLength(3);
  });
});
