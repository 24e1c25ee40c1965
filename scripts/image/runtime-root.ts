import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildImage, ensureImage, readableByAll, type Workshop } from '../clusters/images.ts';
import type { Step } from '../clusters/progress.ts';
import { type Apt, withApt } from '../lib/apt.ts';
import { run } from '../lib/exec.ts';
import { pinnedNode } from './node-binary.ts';

/** What the Node binary is linked against, and the certificates of public authorities. Not even a shell besides. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'];

/** The account in which the product runs; the number is what matters, as in the distroless images. */
export const USER = 65532;

const FILES = {
  'etc/passwd': `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${USER}:\n`,
  // Without it, glibc asks the network before it reads /etc/hosts.
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** Character set converters and documentation: nothing reads them. */
const BULK = ['usr/lib/x86_64-linux-gnu/gconv', 'usr/lib/aarch64-linux-gnu/gconv', 'usr/share/lintian'];

/** Returns an image with Node at /usr/local/bin/node on a Debian root of four packages, fetched by this machine's apt. */
export async function ensureRuntimeRoot(workshop: Workshop): Promise<string> {
  const node = await pinnedNode();
  return ensureImage(workshop, {
    name: 'runtime-root',
    version: `node${node.version}`,
    inputs: { PACKAGES, FILES, BULK },
    build: async (reference, folder, step) => {
      const archive = path.join(folder, 'root.tar');
      await packRuntimeRoot(folder, archive, step);
      await copyFile(node.file, path.join(folder, 'node'));
      const containerfile = ['FROM scratch', 'ADD root.tar /', 'COPY node /usr/local/bin/node'];
      await buildImage(workshop.engine, { reference, folder, containerfile }, step);
    },
  });
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** Writes the Debian root, without Node, as a tar; the same packages give the same bytes. Returns what it is made of. */
export async function packRuntimeRoot(
  folder: string,
  archive: string,
  step: Pick<Step, 'logPath'>,
): Promise<readonly DebianPackage[]> {
  const packages = path.join(folder, 'packages');
  const root = path.join(folder, 'root');
  await mkdir(packages);
  await mkdir(path.join(root, 'tmp'), { recursive: true });
  await withApt((apt) => download(apt, packages, step));
  const files = (await readdir(packages)).sort();
  const found: DebianPackage[] = [];
  for (const file of files) {
    await run('dpkg-deb', ['-x', path.join(packages, file), root], { logPath: step.logPath });
    found.push(await describePackage(path.join(packages, file)));
  }
  for (const bulk of BULK) await rm(path.join(root, bulk), { recursive: true, force: true });
  for (const [file, text] of Object.entries(FILES)) await writeFile(path.join(root, file), text);
  await joinCertificates(root);
  await readableByAll(root, step);
  await run('chmod', ['1777', path.join(root, 'tmp')]);
  // Order, times and owners fixed: the same packages give the same layer.
  const stable = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', ['-C', root, ...stable, '-cf', archive, '.'], { logPath: step.logPath });
  return found;
}

async function describePackage(file: string): Promise<DebianPackage> {
  const text = await run('dpkg-deb', ['-f', file, 'Package', 'Version', 'Architecture']);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return { name: field('Package'), version: field('Version'), architecture: field('Architecture') };
}

async function download(apt: Apt, folder: string, { logPath }: Pick<Step, 'logPath'>): Promise<void> {
  const fetch = () => apt(['download', '-q', ...PACKAGES], { cwd: folder, logPath });
  await fetch().catch(async () => {
    // A fresh machine has no package lists yet.
    await apt(['update', '-q'], { logPath });
    await fetch();
  });
}

/** What the package's own script would do on installation. */
async function joinCertificates(root: string): Promise<void> {
  const folder = path.join(root, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  await mkdir(path.join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(path.join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}
