import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../lib/exec.ts';
import { ensureImage, type Workshop } from './images.ts';
import { DEBIAN_SUITE } from './versions.ts';

/** Returns a Debian base image with the packages, made by debootstrap from the mirror that this machine uses itself. */
export function ensureDebianImage(workshop: Workshop, name: string, packages: readonly string[]): Promise<string> {
  return ensureImage(workshop, {
    name,
    version: DEBIAN_SUITE,
    inputs: { packages },
    build: async (reference, folder, step) => {
      const root = path.join(folder, 'root');
      const mirror = await debianMirror();
      const args = ['--variant=minbase', `--include=${packages.join(',')}`, DEBIAN_SUITE, root, ...mirror];
      await run('debootstrap', args, { logPath: step.logPath });
      await removeBulk(root);
      const archive = path.join(folder, 'root.tar');
      await run('tar', ['-C', root, '-cf', archive, '.'], { logPath: step.logPath });
      await run(workshop.engine.command, ['import', archive, reference], { logPath: step.logPath });
    },
  });
}

/** Package indexes, documentation and translations: nothing that runs in a container reads them. */
async function removeBulk(root: string): Promise<void> {
  const folders = [
    'var/cache/apt',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/info',
  ];
  for (const folder of folders) await rm(path.join(root, folder), { recursive: true, force: true });
}

/** The first archive of the Debian main suite among the machine's apt sources; debootstrap's own default if there is none. */
async function debianMirror(): Promise<string[]> {
  const folder = '/etc/apt/sources.list.d';
  const names = (await readdir(folder).catch(() => [])).sort().map((name) => path.join(folder, name));
  const texts = await Promise.all(
    [...names, '/etc/apt/sources.list'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return mirrorIn(texts.join('\n')).slice(0, 1);
}

/** Archive addresses of Debian itself in apt sources of both formats, in order. */
export function mirrorIn(sources: string): string[] {
  const lines = sources.split('\n').map((line) => line.trim());
  const addresses = lines.map((line) => /^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+(\S+)/.exec(line)?.[1] ?? '');
  return addresses.filter((address) => /\/debian\/?$/.test(address));
}
