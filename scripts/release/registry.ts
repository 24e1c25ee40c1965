/**
 * Publishes a release to an OCI registry: charts as Helm pulls them, and the image under the digest that it was built with. What is
 * published under a version stays: who has pinned or verified it would get something else.
 */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { ScriptError } from '../lib/errors.ts';
import { run, tryRun } from '../lib/exec.ts';
import { hashFile } from '../lib/hash.ts';

export interface Registry {
  /** `registry.example.com/agentplane`: charts go below `charts/`, the image to `agentplane`. */
  readonly address: string;
  /** Plain HTTP, for a registry on this machine. */
  readonly insecure: boolean;
}

export interface PublishTools {
  readonly helm4: string;
  readonly crane: string;
}

export interface Publication {
  /** Packages; signatures that lie beside them go with them. */
  readonly charts: readonly string[];
  /** Folder of the image's OCI layout. */
  readonly layout: string;
  /** Digest of the image's manifest. */
  readonly digest: string;
  readonly version: string;
}

export interface Published {
  /** With its digest. */
  readonly reference: string;
  /** False where the same was there already. */
  readonly pushed: boolean;
}

interface Artefact {
  readonly reference: string;
  /** What a published manifest has against it; undefined where it is the same. */
  readonly differs: (manifest: string) => Promise<string | undefined>;
  readonly push: () => Promise<string>;
}

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const SIGNATURE_LAYER = 'application/vnd.cncf.helm.chart.provenance.v1.prov';
/** How crane says that there is no such tag or repository. Anything else, as a login that is missing, does not mean that. */
const ABSENT = /: (MANIFEST_UNKNOWN|NAME_UNKNOWN|NOT_FOUND)\b|unexpected status code 404\b/;

/** Where a chart of this name goes. */
export function chartRepository(address: string, name: string): string {
  return `${address}/charts/${name}`;
}

/** Where the image goes: `image.repository` of the values. */
export function imageRepository(address: string): string {
  return `${address}/agentplane`;
}

/** Pushes what is not there yet. Throws a `ScriptError`, with nothing pushed, where a tag holds something else. */
export async function publish(
  registry: Registry,
  tools: PublishTools,
  release: Publication,
): Promise<readonly Published[]> {
  const charts = release.charts.map((chart) => chartArtefact(registry, tools, chart, release.version));
  const artefacts = [...charts, imageArtefact(registry, tools, release)];
  const missing = await missingOf(registry, tools, artefacts);
  const published: Published[] = [];
  for (const artefact of artefacts) {
    const pushed = missing.includes(artefact);
    if (pushed) await artefact.push();
    const digest = await run(tools.crane, ['digest', ...insecure(registry), artefact.reference]);
    published.push({ reference: `${artefact.reference}@${digest.trim()}`, pushed });
  }
  return published;
}

/** Those whose tag is not there. All are looked at before the first push: half of this release beside half of another helps nobody. */
async function missingOf(
  registry: Registry,
  tools: PublishTools,
  artefacts: readonly Artefact[],
): Promise<readonly Artefact[]> {
  const missing: Artefact[] = [];
  const complaints: string[] = [];
  for (const artefact of artefacts) {
    const manifest = await manifestOf(registry, tools, artefact.reference);
    if (manifest === undefined) {
      missing.push(artefact);
      continue;
    }
    const difference = await artefact.differs(manifest);
    if (difference !== undefined) complaints.push(`${artefact.reference} is published ${difference}`);
  }
  if (complaints.length === 0) return missing;
  const all = complaints.join('\n  ');
  throw new ScriptError('BadUsage', `nothing was pushed, what is published stays: release a new version\n  ${all}`);
}

async function manifestOf(registry: Registry, { crane }: PublishTools, reference: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await tryRun(crane, ['manifest', ...insecure(registry), reference]);
  if (code === 0) return stdout;
  if (ABSENT.test(stderr)) return undefined;
  const message = `whether ${reference} is published cannot be told, so nothing was pushed: ${stderr.trim()}`;
  throw new ScriptError('CommandFailed', message);
}

function chartArtefact(registry: Registry, { helm4 }: PublishTools, chart: string, version: string): Artefact {
  const name = path.basename(chart).replace(`-${version}.tgz`, '');
  const plain = registry.insecure ? ['--plain-http'] : [];
  return {
    reference: `${chartRepository(registry.address, name)}:${version}`,
    // Helm writes the time of the file into the manifest, so the digest to compare is that of the package.
    differs: async (manifest) => {
      const layers = layersOf(manifest);
      const local = `sha256:${await hashFile(chart)}`;
      const there = layers.find(({ mediaType }) => mediaType === CHART_LAYER)?.digest ?? 'no chart';
      if (there !== local) return `with other content: there ${there}, here ${local}`;
      // A signature made anew says the same. One that is missing is missed by whoever verifies.
      const signed = layers.some(({ mediaType }) => mediaType === SIGNATURE_LAYER);
      return (await exists(`${chart}.prov`)) && !signed ? 'without a signature, and here there is one' : undefined;
    },
    push: () =>
      run(helm4, ['push', chart, `oci://${path.posix.dirname(chartRepository(registry.address, name))}`, ...plain]),
  };
}

function imageArtefact(
  registry: Registry,
  { crane }: PublishTools,
  { layout, digest, version }: Publication,
): Artefact {
  const reference = `${imageRepository(registry.address)}:${version}`;
  return {
    reference,
    differs: async (manifest) => {
      const there = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
      return there === digest ? undefined : `with other content: there ${there}, here ${digest}`;
    },
    push: () => run(crane, ['push', ...insecure(registry), layout, reference]),
  };
}

interface Layer {
  readonly mediaType: string;
  readonly digest: string;
}

/** None for what is no image manifest, as an index: that is something else, whatever it is. */
function layersOf(manifest: string): readonly Layer[] {
  return (JSON.parse(manifest) as { readonly layers?: readonly Layer[] }).layers ?? [];
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function insecure(registry: Registry): readonly string[] {
  return registry.insecure ? ['--insecure'] : [];
}
