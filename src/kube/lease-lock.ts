import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { isKubeError } from './errors.ts';
import { LEASES, type LeaseRecord, microTime, readLease } from './lease-record.ts';
import { apiVersionOf } from './types.ts';

export interface LeaseLockOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'mergePatch'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process, for example the pod name: two processes with one identity would both lead. */
  readonly identity: string;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly leaseSeconds: number;
}

/**
 * `held` carries two monotonic times. `sinceMs`, just before the write was sent: the moment from which the holding surely counts for everybody.
 * `othersUntilMs`: until when somebody else may have acted as the holder, -Infinity when nobody else was seen; what was read before may be old.
 */
export type LockAttempt =
  | { readonly held: true; readonly sinceMs: number; readonly othersUntilMs: number }
  | { readonly held: false; readonly holder: string };

/**
 * One Lease object as a lock. Uses `get`, `create` and `patch` on that one name and nothing else. Every write carries the resourceVersion it
 * was decided on, so of two candidates one gets a `Conflict`. Throws `KubeError` for everything that says nothing about the holder.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The last record, and when it was first seen to be so by our own monotonic clock. */
  #seen: { readonly record: LeaseRecord; readonly atMs: number } | undefined;
  #othersUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Takes the lease when it is free, ours, or has shown no sign of life for its whole duration. */
  async acquire(timeoutMs: number): Promise<LockAttempt> {
    const record = await this.#read(timeoutMs);
    if (record === undefined) {
      // Deleted under a live holder: the holder does not know yet, so what was seen before still counts.
      return this.#isHeldByOther() ? this.#notHeld() : this.#create(timeoutMs);
    }
    return this.#isHeldByOther() ? this.#notHeld() : this.#write(record, timeoutMs);
  }

  /** Renews what `acquire` took. Starts from the last known version, which saves a read; reads only when that was outdated. */
  async renew(timeoutMs: number): Promise<LockAttempt> {
    const { clock, identity } = this.#options;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    try {
      if (this.#seen !== undefined) {
        return await this.#write(this.#seen.record, timeoutMs);
      }
    } catch (error) {
      if (!isKubeError(error, 'Conflict') && !isKubeError(error, 'NotFound')) {
        throw error;
      }
    }
    const record = await this.#read(Math.max(0, deadlineMs - clock.monotonicMs()));
    if (record === undefined) {
      return this.#create(Math.max(0, deadlineMs - clock.monotonicMs()));
    }
    return record.holder === identity
      ? this.#write(record, Math.max(0, deadlineMs - clock.monotonicMs()))
      : this.#notHeld();
  }

  /** Lets another candidate start at once. */
  async release(timeoutMs: number): Promise<void> {
    const { identity, clock } = this.#options;
    if (this.#seen?.record.holder !== identity) {
      return;
    }
    await this.#patch(this.#seen.record, { holderIdentity: null, renewTime: microTime(clock.now()) }, timeoutMs);
  }

  async #read(timeoutMs: number): Promise<LeaseRecord | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return this.#remember(readLease(await client.get(LEASES, { namespace, name }, { timeoutMs })));
    } catch (error) {
      if (isKubeError(error, 'NotFound')) {
        return undefined;
      }
      throw error;
    }
  }

  async #create(timeoutMs: number): Promise<LockAttempt> {
    const { client, namespace, name, fieldManager, clock } = this.#options;
    const sinceMs = clock.monotonicMs();
    const lease = {
      apiVersion: apiVersionOf(LEASES),
      kind: LEASES.kind,
      metadata: { namespace, name },
      spec: this.#spec(undefined),
    };
    this.#remember(readLease(await client.create(LEASES, lease, { fieldManager, timeoutMs })));
    return { held: true, sinceMs, othersUntilMs: this.#othersUntilMs };
  }

  async #write(record: LeaseRecord, timeoutMs: number): Promise<LockAttempt> {
    const sinceMs = this.#options.clock.monotonicMs();
    await this.#patch(record, this.#spec(record), timeoutMs);
    return { held: true, sinceMs, othersUntilMs: this.#othersUntilMs };
  }

  async #patch(record: LeaseRecord, spec: Record<string, unknown>, timeoutMs: number): Promise<void> {
    const { client, namespace, name, fieldManager } = this.#options;
    const patch = { metadata: { resourceVersion: record.resourceVersion }, spec };
    const lease = await client.mergePatch(LEASES, { namespace, name }, patch, { fieldManager, timeoutMs });
    this.#remember(readLease(lease));
  }

  #spec(record: LeaseRecord | undefined): Record<string, unknown> {
    const { identity, leaseSeconds, clock } = this.#options;
    const now = microTime(clock.now());
    const takesOver = record?.holder !== identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      renewTime: now,
      acquireTime: takesOver ? now : (record.acquireTime ?? now),
      leaseTransitions: record === undefined ? 0 : record.transitions + (takesOver ? 1 : 0),
    };
  }

  #remember(record: LeaseRecord): LeaseRecord {
    if (this.#seen !== undefined && this.#seen.record.resourceVersion === record.resourceVersion) {
      return this.#seen.record;
    }
    const { clock, identity, leaseSeconds } = this.#options;
    const atMs = clock.monotonicMs();
    this.#seen = { record, atMs };
    if (record.holder !== identity) {
      // Nobody holds it: then somebody may have, until just now.
      const durationSeconds = record.holder === '' ? 0 : Math.max(leaseSeconds, record.durationSeconds ?? 0);
      this.#othersUntilMs = atMs + durationSeconds * 1000;
    }
    return record;
  }

  #isHeldByOther(): boolean {
    const { identity, clock } = this.#options;
    const holder = this.#seen?.record.holder ?? '';
    return holder !== '' && holder !== identity && clock.monotonicMs() < this.#othersUntilMs;
  }

  #notHeld(): LockAttempt {
    return { held: false, holder: this.#seen?.record.holder ?? '' };
  }
}
