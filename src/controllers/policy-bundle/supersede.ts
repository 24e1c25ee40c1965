/**
 * Outputs that another one has taken the place of. Each is kept while a pod uses it, then looked at and deleted by its UID. They are
 * remembered in the status: ConfigMaps are never listed.
 */
import { MAX_SUPERSEDED, type PolicyBundleStatus } from '../../api/policy-bundle.ts';
import { compareText } from '../../compile/canonical.ts';
import type { Owner } from '../../compile/names.ts';
import { KubeError } from '../../kube/errors.ts';
import { wholeSeconds } from '../../runtime/conditions.ts';
import { isOurs } from '../ownership.ts';
import { getOutput, type OutputContext, removeOutput } from './config-maps.ts';
import type { Enacted } from './enact.ts';
import type { LoadedBundle } from './load.ts';

export type Superseded = NonNullable<PolicyBundleStatus['superseded']>[number];

/** A pod that was created a moment ago may not be in the cache yet, and may name what was in force then. */
export const SUPERSEDED_MIN_MS = 10_000;

export interface Pruned {
  /** What is left, the latest first. */
  readonly superseded: readonly Superseded[];
  /** When the next of it can go that no pod uses. */
  readonly nextInMs?: number;
  /** Why one that should be gone is not. */
  readonly cause?: KubeError;
}

export async function prune(
  loaded: LoadedBundle,
  enacted: Enacted,
  now: Date,
  context: OutputContext,
): Promise<Pruned> {
  const { mounted, owner } = loaded;
  const left: Superseded[] = [];
  const waits: number[] = [];
  let cause: KubeError | undefined;
  for (const each of remembered(loaded, enacted, now)) {
    const waitMs = Date.parse(each.since) + SUPERSEDED_MIN_MS - now.getTime();
    const isUnused = mounted !== undefined && !mounted.has(each.configMap);
    if (isUnused && waitMs > 0) waits.push(waitMs);
    const failed = isUnused && waitMs <= 0 ? await remove(each, owner, context) : undefined;
    cause ??= failed;
    if (!isUnused || waitMs > 0 || failed !== undefined) left.push(each);
  }
  return {
    superseded: left,
    ...(waits.length === 0 ? {} : { nextInMs: Math.min(...waits) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Whoever can write a status can write any name and UID into it, so nothing goes that is not ours by its own marks. */
async function remove(
  { configMap: name, uid }: Superseded,
  owner: Owner,
  context: OutputContext,
): Promise<KubeError | undefined> {
  const { namespace } = owner;
  try {
    const live = await getOutput({ namespace, name }, context);
    if (live?.metadata.uid === uid && isOurs(live, owner, [uid])) await removeOutput({ namespace, name, uid }, context);
    return undefined;
  } catch (error) {
    if (error instanceof KubeError && error.reason !== 'Aborted') return error;
    throw error;
  }
}

/** With the output that has been in force until now, without the one that is. */
function remembered({ previousStatus }: LoadedBundle, enacted: Enacted, now: Date): readonly Superseded[] {
  const { output, superseded = [] } = previousStatus;
  const until: Superseded[] =
    enacted.kind === 'Applied' && output?.uid !== undefined
      ? [{ configMap: output.configMap, uid: output.uid, since: wholeSeconds(now) }]
      : [];
  return [...until, ...superseded]
    .filter(({ configMap }) => configMap !== enacted.output?.configMap)
    .sort((a, b) => compareText(b.since, a.since))
    .slice(0, MAX_SUPERSEDED);
}
