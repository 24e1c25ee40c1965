/** `npm run release`: builds what is given out for the version of package.json, and publishes it where that is asked for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBinaries } from '../clusters/binaries.ts';
import { openCache } from '../clusters/cache.ts';
import { consoleProgress } from '../clusters/progress.ts';
import { ScriptError } from '../lib/errors.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { parseUsage } from '../lib/usage.ts';
import { packageVersion } from '../synth/charts.ts';
import { readSigningKey } from './provenance.ts';
import { publish } from './registry.ts';
import { buildRelease } from './release.ts';

const HELP = `Usage: npm run release -- [options]

Builds the release of the version in package.json: three charts, the image, its SBOM (CycloneDX), the changes, and SHA256SUMS.
The same sources give the same bytes. See docs/releasing.md.

Options:
  --out <folder>         where to; default: dist/release. It holds nothing, or an earlier release: that one is replaced once
                         this one is whole
  --sign-key <file>      an OpenPGP secret key, armored: signs each chart (helm verify) and SHA256SUMS (gpg --verify)
  --push <registry>      publish to registry.example.com/path: charts below charts/, the image as agentplane;
                         refused, with nothing pushed, when the version is there with other content
  --insecure             with --push: plain HTTP
  -h, --help             this text

Environment:
  AGENTPLANE_SIGNING_PASSPHRASE   opens the secret key
`;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseUsage(() =>
    parseArgs({
      args: [...args],
      options: {
        out: { type: 'string', default: path.join(REPOSITORY, 'dist/release') },
        'sign-key': { type: 'string' },
        push: { type: 'string' },
        insecure: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  if (values.help) return console.log(HELP);
  if (values.insecure && values.push === undefined) throw new ScriptError('BadUsage', '--insecure belongs to --push');
  const keyFile = values['sign-key'];
  const passphrase = process.env.AGENTPLANE_SIGNING_PASSPHRASE;
  const key = keyFile === undefined ? undefined : await readSigningKey(path.resolve(keyFile), passphrase);
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  const work = await mkdtemp(path.join(tmpdir(), 'agentplane-release-'));
  try {
    const release = await buildRelease({
      version: await packageVersion(REPOSITORY),
      out: path.resolve(values.out),
      work,
      key,
      step: (name, build) => progress.step(`release ${name}`, ({ logPath }) => build(logPath)),
    });
    for (const file of release.files) console.log(path.join(values.out, file));
    console.log(`image ${release.image.digest}`);
    if (values.push === undefined) return;
    const tools = await ensureBinaries(cache, ['helm4', 'crane'], progress);
    const registry = { address: values.push.replace(/^oci:\/\//, ''), insecure: values.insecure };
    const { charts, image, version } = release;
    const publication = { charts, layout: image.layout, digest: image.digest, version };
    for (const { reference, pushed } of await publish(registry, tools, publication)) {
      console.log(pushed ? `published ${reference}` : `there already ${reference}`);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ScriptError ? `error (${error.reason}): ${error.message}` : error);
  process.exitCode = 1;
}
