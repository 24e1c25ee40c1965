/** Keeps a profile for as long as its workloads: the finalizer is on before pods are admitted, and off once nothing is left of them. */
import { isKubeError, type KubeError } from '../../kube/errors.ts';
import { accountOf } from '../governed-pods.ts';
import { type Deletion, isHeld } from './deletion.ts';
import { type FinalizerContext, hold, release, remainingNow } from './finalizer.ts';
import type { ProfileJudgement } from './judge.ts';
import type { LoadedProfile } from './load.ts';

export type Kept =
  | { readonly kind: 'Kept'; readonly deletion: Deletion }
  /** It may go: there is nobody left to tell. */
  | { readonly kind: 'Released' }
  /** To be told, and tried again. */
  | { readonly kind: 'Failed'; readonly deletion: Deletion; readonly error: KubeError };

export interface KeepRequest {
  readonly loaded: LoadedProfile;
  readonly judgement: ProfileJudgement;
  readonly deletion: Deletion;
  readonly holdsProfiles: boolean;
}

export async function keep(request: KeepRequest, context: FinalizerContext): Promise<Kept> {
  const { loaded, deletion } = request;
  try {
    if (deletion.kind === 'Held' && deletion.remaining.length === 0) return await letGo(loaded, deletion, context);
    if (mustHold(request)) await hold(loaded.profile, context);
    return { kind: 'Kept', deletion };
  } catch (error) {
    if (!isKubeError(error) || error.reason === 'Aborted') throw error;
    return { kind: 'Failed', deletion, error };
  }
}

async function letGo(
  { profile, name }: LoadedProfile,
  deletion: Deletion & { readonly kind: 'Held' },
  context: FinalizerContext,
): Promise<Kept> {
  const remaining = await remainingNow({ name, account: accountOf(profile) ?? '' }, context);
  // The cache will hear of it.
  if (remaining.length > 0) return { kind: 'Kept', deletion: { ...deletion, remaining } };
  await release(profile, context);
  return { kind: 'Released' };
}

function mustHold({ loaded, judgement, deletion, holdsProfiles }: KeepRequest): boolean {
  const isOpen = judgement.accepted.status === 'True' && judgement.dependencies.status === 'True';
  return holdsProfiles && isOpen && deletion.kind === 'None' && !isHeld(loaded.profile);
}
