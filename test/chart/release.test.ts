/** A release: the same bytes twice, signatures that Helm checks, an SBOM of everything, and what a registry gives back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { createMessage, generateKey, readKey, readSignature, verify } from 'openpgp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { changelogOf } from '../../scripts/lib/changelog.ts';
import { run, succeeds, tryRun } from '../../scripts/lib/exec.ts';
import { hashFile } from '../../scripts/lib/hash.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { readSigningKey } from '../../scripts/release/provenance.ts';
import { publish } from '../../scripts/release/registry.ts';
import { buildRelease, type Release } from '../../scripts/release/release.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { chartTools, helms } from './support/tools.ts';

const CHARTS = ['agentplane', 'agentplane-cluster', 'agentplane-crds'];
/** The root of the image is made of Debian packages. */
const canBuild = await succeeds('dpkg-deb', ['--version']).catch(() => false);
let folder: string;
let first: Release;
let second: Release;
let publicKey: string;
let keyring: string;

async function build(name: string): Promise<Release> {
  return buildRelease({
    version: PRODUCT_VERSION,
    out: path.join(folder, name),
    work: path.join(folder, `${name}-work`),
    key: await readSigningKey(path.join(folder, 'secret.asc'), undefined),
    step: (step, work) => work(path.join(folder, `${name}-${step}.log`)),
  });
}

/** As on the machine of somebody who lets nobody read his files, in another part of the world. */
async function elsewhere<T>(work: () => Promise<T>): Promise<T> {
  const { TZ } = process.env;
  const umask = process.umask(0o077);
  process.env.TZ = 'Asia/Tokyo';
  try {
    return await work();
  } finally {
    process.umask(umask);
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
}

const inFirst = (file: string): string => path.join(folder, 'first', file);

async function isSigned(text: string): Promise<boolean> {
  const { signatures } = await verify({
    message: await createMessage({ binary: Buffer.from(text) }),
    signature: await readSignature({ armoredSignature: await readFile(inFirst('SHA256SUMS.asc'), 'utf8') }),
    verificationKeys: await readKey({ armoredKey: publicKey }),
  });
  return (signatures[0]?.verified ?? Promise.reject(new Error('unsigned'))).catch(() => false);
}

describe.skipIf(!canBuild)('a release (its image is made of Debian packages, so it needs dpkg-deb and apt)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agentplane-release-'));
    const userIDs = [{ name: 'Test', email: 'test@example.com' }];
    const keys = await generateKey({ userIDs, type: 'rsa', rsaBits: 2048 });
    publicKey = keys.publicKey;
    keyring = path.join(folder, 'pubring.gpg');
    await writeFile(keyring, (await readKey({ armoredKey: publicKey })).write());
    await writeFile(path.join(folder, 'secret.asc'), keys.privateKey);
    first = await build('first');
    // The second takes the place of an earlier one.
    await mkdir(path.join(folder, 'second'));
    await writeFile(path.join(folder, 'second/agentplane-0.9.0.tgz'), '');
    await writeFile(path.join(folder, 'second/SHA256SUMS'), `${'0'.repeat(64)}  agentplane-0.9.0.tgz\n`);
    second = await elsewhere(() => build('second'));
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe('its files', () => {
    it('built twice, under another umask and in another time zone, has the same charts, layers, image and SBOM', async () => {
      expect(second.image.layerDigests).toEqual(first.image.layerDigests);
      expect(second.image.digest).toBe(first.image.digest);
      expect(second.files).toEqual(first.files);
      // A signature says when it was made.
      const unsigned = first.files.filter((file) => !/\.(prov|asc)$|^SHA256SUMS$/.test(file));
      expect(unsigned.length).toBeGreaterThanOrEqual(7);
      for (const file of unsigned) {
        expect(await hashFile(path.join(folder, 'second', file)), file).toBe(await hashFile(inFirst(file)));
      }
      console.log(`release: image ${first.image.digest}, layers ${first.image.layerDigests.join(' ')}`);
    });

    it('has a sum of every file, and a signature on the sums', async () => {
      const sums = await readFile(inFirst('SHA256SUMS'), 'utf8');
      const listed = sums
        .trim()
        .split('\n')
        .map((line) => line.split('  '));
      expect(listed.map(([, file]) => file)).toEqual(first.files.filter((file) => !file.startsWith('SHA256SUMS')));
      for (const [sum, file = ''] of listed) expect(await hashFile(inFirst(file))).toBe(sum);
      expect(await isSigned(sums)).toBe(true);
      expect(await isSigned(sums.replace(/^./, 'x'))).toBe(false);
    });

    it('that has nothing to say of its version is refused', async () => {
      const options = { out: path.join(folder, 'none'), work: path.join(folder, 'none-work'), version: '9.9.9' };
      await expect(buildRelease({ ...options, step: (_, work) => work('') })).rejects.toThrow(
        'has no section "## 9.9.9"',
      );
    });

    it('takes the place of an earlier one, and is where it says', async () => {
      expect(second.files).not.toContain('agentplane-0.9.0.tgz');
      expect((await readdir(path.join(folder, 'second'))).sort()).toEqual(second.files);
      for (const file of [...second.charts, second.image.archive]) {
        expect(path.dirname(file)).toBe(path.join(folder, 'second'));
        expect(second.files).toContain(path.basename(file));
      }
    });

    it('overwrites no folder but one of a release', async () => {
      const out = path.join(folder, 'second-work');
      const options = { out, work: path.join(folder, 'none-work'), version: PRODUCT_VERSION };
      await expect(buildRelease({ ...options, step: (_, work) => work('') })).rejects.toThrow(
        'files that are no release',
      );
    });
  });

  describe.each(CHARTS)('the chart %s', (name) => {
    const file = `${name}-${PRODUCT_VERSION}.tgz`;

    it('is verified by Helm 3 and 4, and no longer once a byte is another', async () => {
      const changed = path.join(folder, file);
      await copyFile(inFirst(`${file}.prov`), `${changed}.prov`);
      await writeFile(changed, Buffer.concat([await readFile(inFirst(file)), Buffer.from([0])]));
      for (const [, helm] of helms()) {
        expect((await tryRun(helm, ['verify', inFirst(file), '--keyring', keyring])).code).toBe(0);
        const refused = await tryRun(helm, ['verify', changed, '--keyring', keyring]);
        expect(refused.code).not.toBe(0);
        expect(refused.stderr).toContain('sha256 sum does not match');
      }
    });

    it('renders what its folder renders, and has what Artifact Hub shows', async () => {
      for (const [, helm] of helms()) {
        const release = { name, namespace: 'agentplane-system' };
        const packed = await helmTemplate(helm, inFirst(file), {}, release);
        expect(objectsOf(packed)).toEqual(objectsOf(await helmTemplate(helm, chartFolder(name), {}, release)));
      }
      const shown = parse(await run(chartTools().helm3, ['show', 'chart', inFirst(file)])) as {
        readonly version: string;
        readonly annotations: Readonly<Record<string, string>>;
      };
      expect(shown.version).toBe(PRODUCT_VERSION);
      const changelog = await readFile(path.join(REPOSITORY, 'CHANGELOG.md'), 'utf8');
      const { entries } = changelogOf(changelog, PRODUCT_VERSION);
      expect(parse(shown.annotations['artifacthub.io/changes'] ?? '')).toEqual(entries);
      if (name === 'agentplane') expect(shown.annotations['artifacthub.io/images']).toContain(`:${PRODUCT_VERSION}`);
      if (name === 'agentplane-crds') expect(shown.annotations['artifacthub.io/crds']).toContain('kind: EgressPolicy');
    });
  });

  describe('the SBOM', () => {
    it('is CycloneDX, and names what the image holds: packages of npm and Debian, and Node', async () => {
      const text = await readFile(inFirst(`agentplane-${PRODUCT_VERSION}.cdx.json`), 'utf8');
      expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
      const { components } = JSON.parse(text) as {
        components: readonly { name: string; version: string; purl: string }[];
      };
      const names = components.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['zod', '@kubernetes/client-node', 'node', 'libc6', 'ca-certificates']),
      );
      // What only tests need is not in the image.
      expect(names).not.toContain('vitest');
      for (const { version, purl } of components) expect(purl).toContain(encodeURIComponent(version).slice(0, 1));
    });
  });

  describe('a registry', () => {
    let server: ChildProcess;
    let address: string;

    beforeAll(async () => {
      server = spawn(chartTools().registry, ['-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
      const [line] = (await once(server.stderr as NodeJS.EventEmitter, 'data')) as [Buffer];
      address = `localhost:${/port (\d+)/.exec(line.toString())?.[1]}/agentplane`;
    });

    afterAll(() => server.kill());

    it('gives back the image under its digest, and each chart with a signature that Helm checks', async () => {
      const { helm3, helm4, crane } = chartTools();
      const registry = { address, insecure: true };
      const { charts, image, version } = first;
      const publication = { charts, layout: image.layout, digest: image.digest, version };
      const published = await publish(registry, { helm4, crane }, publication);
      expect(published).toHaveLength(4);
      expect(published.at(-1)).toEqual({
        reference: `${address}/agentplane:${version}@${image.digest}`,
        pushed: true,
      });
      await run(crane, ['validate', '--insecure', '--remote', `${address}/agentplane:${version}`]);
      const pulled = await mkdtemp(path.join(folder, 'pulled-'));
      for (const helm of [helm3, helm4]) {
        const from = [`oci://${address}/charts/agentplane`, '--version', version, '--plain-http'];
        await run(helm, ['pull', ...from, '--verify', '--keyring', keyring, '--destination', pulled]);
        const file = `agentplane-${version}.tgz`;
        expect(await hashFile(path.join(pulled, file))).toBe(await hashFile(inFirst(file)));
        await rm(path.join(pulled, file));
      }
    });
  });
});
