/**
 * Looks at Secrets by name, for their metadata alone, and remembers for how long a look is good: a Secret cannot be watched without the
 * right to read every one of them. Kept in memory: after a restart each is looked at again.
 */
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { isKubeError, type KubeError, type KubeErrorReason } from '../../kube/errors.ts';
import type { ObjectRef } from '../../kube/types.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import { REFUSED_AFTER_MS } from '../currency.ts';
import { SECRETS } from '../resources.ts';
import { type Look, secretKeys } from './secret-keys.ts';

export interface LookTiming {
  /** After which what is not there is looked for again; doubles each time, up to `recheckMs`. */
  readonly retryMs: number;
  /** After which what is there is looked at again. */
  readonly recheckMs: number;
}

/** Which Secret is looked at for which binding. Another generation is another matter: it is looked at at once. */
export interface LookTarget {
  readonly binding: QueueKey & { readonly uid: string; readonly generation: number };
  readonly secret: string;
  /** Whether the binding can rest on what was found. */
  readonly isGood: (look: Look) => boolean;
  /** Whether its status says so of an earlier look. */
  readonly wasGood: boolean;
}

export interface Seen {
  readonly look: Look;
  readonly nextInMs: number;
}

export interface Looks {
  /** Throws what leaves open what is there: the last status stays, and it is tried again. */
  at(target: LookTarget, signal: AbortSignal): Promise<Seen>;
  forget(binding: QueueKey): void;
}

/** Answers that say nothing of the Secret, and that may be the same the next time: nothing is told of when they change. */
const REFUSALS: ReadonlySet<KubeErrorReason> = new Set(['Forbidden', 'Malformed', 'Invalid', 'TooLarge']);

interface Memory {
  readonly about: string;
  readonly look: Look;
  readonly waitMs: number;
  readonly dueMs: number;
}

export function createLooks(client: Pick<Client, 'getMetadata'>, clock: Clock, timing: LookTiming): Looks {
  const memories = new Map<string, Memory>();
  const refusedSinceMs = new Map<string, number>();
  /** An API server that has just started refuses everybody: what was readable is not given up for that. */
  const isPassing = (key: string): boolean => {
    const nowMs = clock.monotonicMs();
    const sinceMs = refusedSinceMs.get(key) ?? nowMs;
    refusedSinceMs.set(key, sinceMs);
    return nowMs - sinceMs < REFUSED_AFTER_MS;
  };
  const lookAt = async (ref: ObjectRef, key: string, signal: AbortSignal, wasGood: boolean): Promise<Look> => {
    try {
      const look = lookOf(ref, secretKeys(await client.getMetadata(SECRETS, ref, { signal })));
      refusedSinceMs.delete(key);
      return look;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return { kind: 'Missing' };
      if (!isKubeError(error) || !REFUSALS.has(error.reason) || (wasGood && isPassing(key))) throw error;
      return { kind: 'NotReadable', message: describeRefusal(error, ref) };
    }
  };
  return {
    async at({ binding, secret, isGood, wasGood }, signal) {
      const key = keyOf(binding);
      const about = `${binding.uid} ${binding.generation}`;
      const known = memories.get(key);
      const last = known?.about === about ? known : undefined;
      if (last !== undefined && clock.monotonicMs() < last.dueMs) return seen(last, clock);
      const look = await lookAt({ namespace: binding.namespace, name: secret }, key, signal, wasGood);
      const retryMs = last === undefined || isGood(last.look) ? timing.retryMs : 2 * last.waitMs;
      const waitMs = isGood(look) ? timing.recheckMs : Math.min(retryMs, timing.recheckMs);
      const memory: Memory = { about, look, waitMs, dueMs: clock.monotonicMs() + waitMs };
      memories.set(key, memory);
      return seen(memory, clock);
    },
    forget: (binding) => {
      memories.delete(keyOf(binding));
      refusedSinceMs.delete(keyOf(binding));
    },
  };
}

function lookOf(ref: ObjectRef, keys: ReadonlySet<string> | undefined): Look {
  if (keys !== undefined) return { kind: 'Found', keys };
  const message = `${nameOf(ref)} has no managedFields, by which alone its keys can be told without reading it: write it again`;
  return { kind: 'NotReadable', message };
}

function describeRefusal(error: KubeError, ref: ObjectRef): string {
  if (error.reason !== 'Forbidden') return error.message;
  return `the operator may not get ${nameOf(ref)}: name it in governedNamespaces[].secrets of the chart's values`;
}

function nameOf({ name, namespace }: ObjectRef): string {
  return `Secret ${name} of namespace ${namespace}`;
}

function seen({ look, dueMs }: Memory, clock: Clock): Seen {
  return { look, nextInMs: Math.max(0, dueMs - clock.monotonicMs()) };
}

function keyOf({ namespace, name }: QueueKey): string {
  return `${namespace}/${name}`;
}
