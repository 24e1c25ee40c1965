import { ScriptError } from '../lib/errors.ts';
import { succeeds } from '../lib/exec.ts';
import { type Engine, findEngine, isDebianRoot } from './engine.ts';
import { imageExists, imageReference } from './images.ts';
import { nodeImageIdentity } from './node-image.ts';
import { PUBLIC_NODE_IMAGE } from './versions.ts';

/** `public`: images are pulled. `source`: every image is built here, down to the kubelet. */
export type ImageSource = 'public' | 'source';

/** Reads a command line's `--source`. Throws `BadUsage`. */
export function parseSource(value: string | undefined): ImageSource | undefined {
  if (value === undefined || value === 'public' || value === 'source') return value;
  throw new ScriptError('BadUsage', `--source is "public" or "source", not "${value}"`);
}

/** What is known about this machine. */
export interface MachineFacts {
  readonly hasEngine: boolean;
  /** The node image that was built here is there. */
  readonly hasBuiltImage: boolean;
  /** The public node image is there, or its registry answers. */
  readonly hasPublicImage: boolean;
  /** An engine can be installed and images can be built: Debian, as root. */
  readonly canBuild: boolean;
}

/** Whether a cluster can be had, from what, and how long that takes; `why` is for a person. */
export type ClusterOption =
  | { readonly possible: true; readonly source: ImageSource; readonly quick: boolean; readonly why: string }
  | { readonly possible: false; readonly why: string };

/** A registry that does not answer in this time would not deliver a gigabyte in reasonable time either. */
const REGISTRY_MS = 10_000;

/** Looks at the machine and decides. Nothing is installed, built or pulled. */
export async function clusterOption(): Promise<ClusterOption> {
  return decide(await machineFacts());
}

/** The decision alone. What is there already is preferred to what would have to be fetched. */
export function decide(facts: MachineFacts): ClusterOption {
  if (facts.hasEngine && facts.hasBuiltImage) {
    return { possible: true, source: 'source', quick: true, why: 'the node image was built here before' };
  }
  if (facts.hasEngine && facts.hasPublicImage) {
    return { possible: true, source: 'public', quick: true, why: 'public images can be pulled' };
  }
  if (facts.canBuild) {
    const why = 'no image registry answers; everything can be built from source, about half an hour on two cores';
    return { possible: true, source: 'source', quick: false, why };
  }
  if (!facts.hasEngine) return { possible: false, why: 'no container engine answers: start Docker or Podman' };
  return { possible: false, why: 'no image registry answers, and building from source needs Debian and root' };
}

async function machineFacts(): Promise<MachineFacts> {
  const engine = await findEngine();
  return {
    hasEngine: engine !== undefined,
    hasBuiltImage: engine !== undefined && (await imageExists(engine, imageReference(await nodeImageIdentity()))),
    hasPublicImage: engine !== undefined && (await canPull(engine)),
    canBuild: await isDebianRoot(),
  };
}

/** Asks for the manifest only: a few kilobytes answer the question that pulling the image would. */
async function canPull(engine: Engine): Promise<boolean> {
  if (await imageExists(engine, PUBLIC_NODE_IMAGE)) return true;
  return succeeds(engine.command, ['manifest', 'inspect', PUBLIC_NODE_IMAGE], { timeoutMs: REGISTRY_MS });
}
