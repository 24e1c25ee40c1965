/** The charts as they were released, byte for byte: what a customer upgrades from. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../../scripts/lib/repository.ts';

const FOLDER = path.join(REPOSITORY, 'test/releases');

/** The newest version before this one. */
export const PREVIOUS_VERSION: string =
  readdirSync(FOLDER)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1) ?? '';

/** Path of the package. */
export function previousChart(name: string): string {
  return path.join(FOLDER, PREVIOUS_VERSION, `${name}-${PREVIOUS_VERSION}.tgz`);
}
