import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../lib/repository.ts';

/** The Node of this repository's lockfile, for this platform: the `node` package brings the binary itself. */
export interface PinnedNode {
  readonly file: string;
  readonly version: string;
}

export async function pinnedNode(): Promise<PinnedNode> {
  const folder = path.join(REPOSITORY, 'node_modules/node');
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  return { file: path.join(folder, 'bin/node'), version };
}
