/** One RuntimeProfile: is it valid, and the only one for its ServiceAccount? One status write, skipped when nothing changed. */
import type { Condition } from '../../api/conditions.ts';
import { RuntimeProfile, type RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { canonicalJson } from '../../compile/canonical.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { isKubeError } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import { buildConditions } from '../../runtime/conditions.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { Announce } from '../announce.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import type { Observation } from '../observation.ts';
import { type ProfileProblem, profileProblem } from '../profiles.ts';
import { writeStatus } from '../write-status.ts';

export interface RuntimeProfileContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly clock: Clock;
  readonly announce: Announce;
}

export async function reconcileRuntimeProfile(
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
  context: RuntimeProfileContext,
): Promise<ReconcileResult> {
  const profiles = context.cacheOf(key.namespace)?.profiles;
  const profile = profiles?.get(key.name);
  if (profiles === undefined || profile === undefined || profile.metadata.deletionTimestamp !== undefined) return {};
  const problem = profileProblem(profile, profiles.list());
  const status = statusOf(profile, problem, context.clock.now());
  if (status === undefined || canonicalJson(status) === canonicalJson(profile.status)) return {};
  try {
    await writeStatus({ kind: RuntimeProfile, object: profile, status, signal }, context.client, profiles);
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    return {};
  }
  if (problem !== undefined) context.announce(profile, 'Warning', problem);
  return {};
}

function statusOf(
  profile: KubeObject,
  problem: ProfileProblem | undefined,
  now: Date,
): RuntimeProfileStatus | undefined {
  const { generation } = profile.metadata;
  if (generation === undefined) return undefined;
  const parsed = RuntimeProfile.status.safeParse(profile.status ?? {});
  const previous: readonly Condition[] = parsed.success ? (parsed.data.conditions ?? []) : [];
  const accepted: Observation =
    problem === undefined
      ? { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'the profile is valid' }
      : { type: 'Accepted', status: 'False', ...problem };
  const ready: Observation =
    problem === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready', message: `generation ${generation} is in force` }
      : { type: 'Ready', status: 'False', ...problem };
  return {
    observedGeneration: generation,
    conditions: buildConditions({ previous, observed: [accepted, ready], generation, now }),
  };
}
