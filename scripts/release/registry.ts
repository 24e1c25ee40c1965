/** Publishes a release to an OCI registry: charts as Helm pulls them, and the image under the digest that it was built with. */
import path from 'node:path';
import { run } from '../lib/exec.ts';

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

/** Signatures that lie beside a chart go with it. Returns the references, each with its digest. */
export async function publish(
  registry: Registry,
  tools: PublishTools,
  release: { readonly charts: readonly string[]; readonly layout: string; readonly version: string },
): Promise<readonly string[]> {
  const references: string[] = [];
  for (const chart of release.charts) {
    const plain = registry.insecure ? ['--plain-http'] : [];
    await run(tools.helm4, ['push', chart, `oci://${registry.address}/charts`, ...plain]);
    const name = path.basename(chart).replace(`-${release.version}.tgz`, '');
    references.push(await withDigest(registry, tools, `${registry.address}/charts/${name}:${release.version}`));
  }
  const image = `${registry.address}/agentplane:${release.version}`;
  await run(tools.crane, ['push', ...insecure(registry), release.layout, image]);
  references.push(await withDigest(registry, tools, image));
  return references;
}

async function withDigest(registry: Registry, { crane }: PublishTools, reference: string): Promise<string> {
  return `${reference}@${(await run(crane, ['digest', ...insecure(registry), reference])).trim()}`;
}

function insecure(registry: Registry): readonly string[] {
  return registry.insecure ? ['--insecure'] : [];
}
