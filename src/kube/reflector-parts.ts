/** What a reflector is made of, feeds, and tells of itself. */
import type { Client } from './client.ts';
import type { Clock, Random } from './clock.ts';
import type { KubeError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { ReflectorTiming } from './reflector-timing.ts';
import type { KubeObject, ObjectList, Resource, WatchEvent } from './types.ts';

/** For a counter; a closed set. */
export type ReflectorActivity = 'list' | 'watch' | 'failure';

export interface ReflectorOptions {
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly resource: Resource;
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timing: ReflectorTiming;
  readonly onActivity: (activity: ReflectorActivity) => void;
}

/** Where the stream goes. Must not throw. */
export interface ReflectorSink {
  /** Applied to each object of a list as its page arrives. */
  prepare(object: KubeObject): KubeObject;
  /** Called before a list is requested; its result comes back with the list. */
  beginList(): number;
  replaced(list: ObjectList, epoch: number): void;
  event(event: WatchEvent): void;
  /** The API is not served. */
  absent(): void;
}

export interface ReflectorHealth {
  /** A watch is open. */
  readonly connected: boolean;
  /** The API is not served: its CRD is not installed. The cache is then empty, and that is the truth. */
  readonly absent: boolean;
  /** The authorizer refuses list or watch; the cache is the last known state. */
  readonly forbidden: boolean;
  /** Why the last try failed; undefined while a watch is open. */
  readonly lastError: KubeError | undefined;
  readonly consecutiveFailures: number;
  /** The monotonic time at which the list was asked for that the cache rests on, -Infinity before the first; also of one that said `absent`. */
  readonly askedAtMs: number;
}
