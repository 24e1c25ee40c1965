/**
 * Brings in force what was decided, or keeps what is there: the only part of the controller that creates outputs. ConfigMaps are not watched,
 * so what is in force is looked at by its name from time to time.
 */
import type { PolicyBundleStatus } from '../../api/policy-bundle.ts';
import { KubeError } from '../../kube/errors.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import { type Failure, failureOf } from '../ensure.ts';
import { createOutput, getOutput, isIntact, type OutputContext, settle, type Written } from './config-maps.ts';
import type { BundleJudgement } from './judge.ts';
import type { LoadedBundle } from './load.ts';
import type { Memory, Outcome, Subject } from './memory.ts';
import type { Refusals } from './refusals.ts';

export type Output = NonNullable<PolicyBundleStatus['output']>;

export type Enacted =
  /** `restored`: somebody had taken it away or changed it. */
  | { readonly kind: 'Applied'; readonly output: Output; readonly restored: boolean; readonly nextInMs: number }
  | {
      readonly kind: 'Failed';
      readonly failure: Failure;
      readonly output: Output | undefined;
      readonly nextInMs: number;
    }
  /** Not compiled. `lost` says why what had been in force is no longer. */
  | {
      readonly kind: 'Refused';
      readonly output: Output | undefined;
      readonly lost?: string;
      readonly nextInMs?: number;
    };

/** What became of an output. `isThere`: it is, by the last look that succeeded, although the last call has failed. */
export type Found = Extract<Written, { ok: true }> | (Failure & { readonly isThere?: boolean });

export interface EnactContext extends OutputContext {
  readonly key: QueueKey;
  /** About what is decided, and about what is kept while nothing, or something else, is decided. */
  readonly outputs: Memory<Found>;
  readonly kept: Memory<Output>;
  readonly refusals: Refusals;
}

type Result = NonNullable<BundleJudgement['result']>;

/** Throws KubeError for what leaves open what is there: the last status stays, and it is tried again. */
export async function enact(
  loaded: LoadedBundle,
  { result }: BundleJudgement,
  context: EnactContext,
): Promise<Enacted> {
  const { output } = loaded.previousStatus;
  if (!loaded.readable.ok) return { kind: 'Refused', output };
  if (result !== undefined) return bringInForce(loaded, result, context);
  return output === undefined
    ? { kind: 'Refused', output }
    : { kind: 'Refused', ...(await keep(loaded, output, context)) };
}

async function bringInForce(loaded: LoadedBundle, result: Result, context: EnactContext): Promise<Enacted> {
  const configMap = result.output.metadata.name;
  const subject = { key: context.key, about: `${loaded.owner.uid} ${configMap}` };
  believeRecorded(loaded, configMap, subject, context);
  const known = context.outputs.recall(subject);
  const isFresh = known !== undefined && known.dueInMs > 0;
  const found = isFresh ? known.value : await attempt(loaded, result, known?.value, context);
  // What may pass by itself is tried again by the policy of its error.
  if (!isFresh && (found.ok || passingCause(found) === undefined))
    context.outputs.remember(subject, found, found.ok ? 'good' : 'bad');
  const nextInMs = context.outputs.recall(subject)?.dueInMs ?? 0;
  if (!found.ok)
    return { kind: 'Failed', failure: found, output: await outputBeside(found, loaded, configMap, context), nextInMs };
  const output = { configMap, digest: result.digest, generation: loaded.generation, uid: found.uid };
  return { kind: 'Applied', output, restored: !isFresh && found.replaced === true, nextInMs };
}

/** After a restart the status is believed for a while: nothing has to be asked at once. */
function believeRecorded(
  { previousStatus: { output } }: LoadedBundle,
  configMap: string,
  subject: Subject,
  { outputs }: EnactContext,
): void {
  if (outputs.recall(subject) !== undefined || output?.configMap !== configMap || output.uid === undefined) return;
  outputs.remember(subject, { ok: true, uid: output.uid }, 'unseen');
}

/** Under the name that is decided there is something else, or nothing. An older output has another name, and stays. */
async function outputBeside(
  failure: Found & Failure,
  loaded: LoadedBundle,
  configMap: string,
  context: EnactContext,
): Promise<Output | undefined> {
  const { output } = loaded.previousStatus;
  if (output === undefined) return undefined;
  if (output.configMap === configMap) return failure.isThere ? output : undefined;
  return (await keep(loaded, output, context)).output;
}

async function attempt(
  loaded: LoadedBundle,
  result: Result,
  known: Found | undefined,
  context: EnactContext,
): Promise<Found> {
  const request = { desired: result.output, owner: loaded.owner, recordedUids: recordedUids(loaded) };
  const wasThere = known?.ok ?? false;
  try {
    if (known === undefined) return await createOutput(request, context);
    // Nothing is posted time and again where a stranger has the name.
    const live = await getOutput(request.desired.metadata, context);
    context.refusals.end(context.key);
    const written = await settle(request, live, context);
    return written.ok && live === undefined && wasThere ? { ...written, replaced: true } : written;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const { verb } = error.attempt;
    const isPassing = error.reason !== 'Forbidden' || context.refusals.isPassing(context.key);
    if (verb === 'get' && wasThere && isPassing) throw error;
    // It is created only where it was found to be gone, or was taken away because somebody had changed it.
    return { ...failureOf(error), isThere: wasThere && verb !== 'create' };
  }
}

/** What was put in force stays, as long as it is what was put in force. While it cannot be looked at, it is believed. */
async function keep(
  loaded: LoadedBundle,
  recorded: Output,
  { key, kept, ...context }: EnactContext,
): Promise<{ readonly output: Output | undefined; readonly lost?: string; readonly nextInMs?: number }> {
  const { owner } = loaded;
  const { configMap, digest } = recorded;
  const subject = { key, about: `${owner.uid} ${configMap}` };
  const believe = (output: Output, outcome: Outcome) => {
    kept.remember(subject, output, outcome);
    return { output, nextInMs: kept.recall(subject)?.dueInMs ?? 0 };
  };
  const known = kept.recall(subject);
  if (known === undefined) return believe(recorded, 'unseen');
  if (known.dueInMs > 0) return { output: recorded, nextInMs: known.dueInMs };
  try {
    const live = await getOutput({ namespace: owner.namespace, name: configMap }, context);
    if (live !== undefined && isIntact(live, { owner, recordedUids: recordedUids(loaded) }, digest))
      return believe({ ...recorded, uid: live.metadata.uid ?? '' }, 'good');
    const what = live === undefined ? 'deleted' : 'replaced';
    return { output: undefined, lost: `ConfigMap ${configMap} has been ${what} by somebody else` };
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason === 'Aborted') throw error;
    return believe(recorded, 'refused');
  }
}

/** Of a failure that may pass by itself. */
export function passingCause({ cause }: Failure): KubeError | undefined {
  return cause?.retry === 'never' ? undefined : cause;
}

function recordedUids({ previousStatus: { output, superseded = [] } }: LoadedBundle): readonly string[] {
  return [output, ...superseded].flatMap((each) => each?.uid ?? []);
}
