import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cache } from './cache.ts';
import type { FlavourName } from './flavours.ts';
import type { ImageSource } from './image-source.ts';
import type { TargetPlan } from './target-plan.ts';
import type { ClientTools } from './tools.ts';

/** A cluster that is up, as `up` leaves it for tests and people. Written last: a cluster without it is half-made. */
export interface ClusterState {
  readonly flavour: FlavourName;
  /** Name of the kind cluster. */
  readonly name: string;
  readonly kubeconfigPath: string;
  /** Container of the only node. */
  readonly node: string;
  readonly engine: 'podman' | 'docker';
  readonly source: ImageSource;
  readonly tools: ClientTools;
  readonly targets: TargetPlan;
  /** Hash of everything that the cluster was made from; another one means it must be made anew. */
  readonly key: string;
}

export function clusterFolder(cache: Cache, flavour: FlavourName): string {
  return path.join(cache.root, 'clusters', flavour);
}

export async function readClusterState(cache: Cache, flavour: FlavourName): Promise<ClusterState | undefined> {
  const file = path.join(clusterFolder(cache, flavour), 'state.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ClusterState);
}

export async function writeClusterState(cache: Cache, state: ClusterState): Promise<void> {
  const file = path.join(clusterFolder(cache, state.flavour), 'state.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.partial`, JSON.stringify(state, null, 2));
  await rename(`${file}.partial`, file);
}

export function removeClusterState(cache: Cache, flavour: FlavourName): Promise<void> {
  return rm(clusterFolder(cache, flavour), { recursive: true, force: true });
}
