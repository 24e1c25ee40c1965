/** What the image is made of, as CycloneDX 1.6: the npm packages in the bundle, Node, and the Debian packages below. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { DebianPackage } from '../image/runtime-root.ts';
import { REPOSITORY } from '../lib/repository.ts';

export interface SbomParts {
  readonly version: string;
  /** Files of the bundles, as esbuild names them. */
  readonly inputs: readonly string[];
  readonly node: string;
  readonly debian: readonly DebianPackage[];
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The text of the SBOM. It holds no time and no random number: the same parts give the same bytes. */
export async function sbomOf({ version, inputs, node, debian }: SbomParts): Promise<string> {
  const { Component, Bom, Metadata } = Models;
  const main = new Component(Enums.ComponentType.Application, 'agentplane', { version, bomRef: 'agentplane' });
  const bom = new Bom({ metadata: new Metadata({ component: main }) });
  for (const each of await npmPackages(inputs)) {
    const purl = `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`;
    const license = each.license === undefined ? [] : [new Models.LicenseExpression(each.license)];
    const options = { version: each.version, purl, bomRef: purl, licenses: new Models.LicenseRepository(license) };
    bom.components.add(new Component(Enums.ComponentType.Library, each.name, options));
  }
  const nodePurl = `pkg:generic/node@${node}`;
  bom.components.add(
    new Component(Enums.ComponentType.Platform, 'node', { version: node, purl: nodePurl, bomRef: nodePurl }),
  );
  for (const each of debian) {
    const purl = `pkg:deb/debian/${each.name}@${encodeURIComponent(each.version)}?arch=${each.architecture}`;
    bom.components.add(
      new Component(Enums.ComponentType.Library, each.name, { version: each.version, purl, bomRef: purl }),
    );
  }
  for (const { bomRef } of bom.components) main.dependencies.add(bomRef);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** Each package of which a file is in the bundle. */
async function npmPackages(inputs: readonly string[]): Promise<readonly NpmPackage[]> {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const unique = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  return Promise.all(
    unique.map(
      async (folder) => JSON.parse(await readFile(path.join(REPOSITORY, folder, 'package.json'), 'utf8')) as NpmPackage,
    ),
  );
}
