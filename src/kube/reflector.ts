import { backoffDelayMs, namedDelayMs, OUTAGE_MAX_MS } from './backoff.ts';
import { pause } from './clock.ts';
import { KubeError } from './errors.ts';
import type { ReflectorHealth, ReflectorOptions, ReflectorSink } from './reflector-parts.ts';
import { type KubeObject, resourceName } from './types.ts';

/** A watch shorter than this without an event is a failure, or a server that accepts and drops would be asked twice a second for ever. */
const PROVEN_WATCH_MS = 1000;
/** A version the server says is in its future stays so when etcd was restored from a backup: then only a new list helps. */
const FUTURE_VERSION_TRIES = 5;
/** kube-apiserver may also accept a watch from its future, and then says nothing for ever; so after long silence the list is the judge. */
const QUIET_MS = 8 * 60_000;

interface Delay {
  readonly delayMs: number;
  /** The server has asked for it. */
  readonly isNamed: boolean;
}

const NO_DELAY: Delay = { delayMs: 0, isNamed: false };

/** List, then watch from there, for ever: after any failure it comes back, with back-off and without losing its place where it can. */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #sink: ReflectorSink;
  /** Where the next watch starts; undefined asks for a list first. */
  #resumeFrom: string | undefined;
  #connected = false;
  #absent = false;
  #lastError: KubeError | undefined;
  #consecutiveFailures = 0;
  /** Unlike `#consecutiveFailures` not reset by a watch that merely opens. */
  #backoffLevel = 0;
  /** Since a watch last proved itself. */
  #lostPlaces = 0;
  #listedAtMs = 0;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Of the list under way, or of the last one. */
  #askingAtMs = Number.NEGATIVE_INFINITY;
  #isListing = false;
  /** What was asked for before is not enough. */
  #askSinceMs = Number.NEGATIVE_INFINITY;
  /** A list that was wanted anew and failed is tried again then; the watch goes on meanwhile. */
  #relistAtMs = Number.NEGATIVE_INFINITY;
  #relistTries = 0;
  /** Ends what is under way, but for a pause that the server has asked for. */
  #interruption = new AbortController();
  /** The last list, event or bookmark. */
  #heardAtMs = 0;
  #nextWatchAtMs = 0;

  constructor(options: ReflectorOptions, sink: ReflectorSink) {
    this.#options = options;
    this.#sink = sink;
  }

  health(): ReflectorHealth {
    return {
      connected: this.#connected,
      absent: this.#absent,
      forbidden: this.#lastError?.reason === 'Forbidden',
      lastError: this.#lastError,
      consecutiveFailures: this.#consecutiveFailures,
      askedAtMs: this.#askedAtMs,
    };
  }

  /** Lists anew, as soon as it may ask, unless the last list was asked for at `sinceMs` or later. */
  relist(sinceMs: number): void {
    this.#askSinceMs = sinceMs;
    this.#relistAtMs = Number.NEGATIVE_INFINITY;
    this.#relistTries = 0;
    const isUnderWay = this.#isListing && this.#askingAtMs >= sinceMs;
    if (this.#askedAtMs < sinceMs && !isUnderWay) this.#interruption.abort();
  }

  /** Resolves once `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const interrupt = () => this.#interruption.abort();
    signal.addEventListener('abort', interrupt, { once: true });
    while (!signal.aborted) {
      this.#interruption = new AbortController();
      const { delayMs, isNamed } = await this.#round(this.#interruption.signal);
      await pause(this.#options.clock, delayMs, isNamed ? signal : this.#interruption.signal);
    }
    this.#connected = false;
  }

  /** One list, where needed, and one watch. Returns how long to wait before the next. */
  async #round(signal: AbortSignal): Promise<Delay> {
    const { clock } = this.#options;
    let cancel: () => void = () => undefined;
    try {
      cancel = await this.#listAnew(signal);
      const from = this.#resumeFrom ?? (await this.#list(signal));
      await pause(clock, this.#nextWatchAtMs - clock.monotonicMs(), signal);
      this.#nextWatchAtMs = clock.monotonicMs() + this.#options.timing.minWatchIntervalMs;
      await this.#watch(from, signal);
      return NO_DELAY;
    } catch (error) {
      // What the server has answered counts, also when nobody waits for it any more.
      const isAnswer = error instanceof KubeError && error.status !== undefined;
      return signal.aborted && !isAnswer ? NO_DELAY : this.#failed(error);
    } finally {
      cancel();
    }
  }

  /** A list that is wanted although there is a place to go on from: while it fails, the watch goes on from there. Returns what ends the wait for it. */
  async #listAnew(signal: AbortSignal): Promise<() => void> {
    const { clock } = this.#options;
    const isWanted = () => this.#resumeFrom !== undefined && this.#askedAtMs < this.#askSinceMs;
    if (isWanted() && clock.monotonicMs() >= this.#relistAtMs) {
      try {
        await this.#list(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.#relistTries += 1;
        const { delayMs } = this.#failed(error);
        // The watch that goes on in between takes the usual back-off back.
        const ownMs = backoffDelayMs(this.#relistTries, this.#options.timing.backoff, this.#options.random);
        this.#relistAtMs = clock.monotonicMs() + Math.max(delayMs, ownMs);
      }
    }
    if (!isWanted()) return () => undefined;
    const interruption = this.#interruption;
    return clock.schedule(this.#relistAtMs - clock.monotonicMs(), () => interruption.abort());
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, namespace, labelSelector, onActivity } = this.#options;
    onActivity('list');
    const epoch = this.#sink.beginList();
    this.#askingAtMs = this.#options.clock.monotonicMs();
    const transform = (object: KubeObject) => this.#sink.prepare(object);
    this.#isListing = true;
    const list = await client.list(resource, { namespace, labelSelector, signal, transform }).finally(() => {
      this.#isListing = false;
    });
    this.#absent = false;
    this.#resumeFrom = list.resourceVersion;
    this.#askedAtMs = this.#askingAtMs;
    this.#listedAtMs = this.#options.clock.monotonicMs();
    this.#heardAtMs = this.#listedAtMs;
    this.#sink.replaced(list, epoch);
    return list.resourceVersion;
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, resource, clock, onActivity } = this.#options;
    onActivity('watch');
    let openedAtMs = Number.POSITIVE_INFINITY;
    let heard = false;
    let proven = false;
    const onOpen = () => {
      openedAtMs = clock.monotonicMs();
      this.#opened();
    };
    try {
      for await (const event of client.watch(resource, this.#watchOptions(resourceVersion, signal, onOpen))) {
        heard = true;
        this.#heardAtMs = clock.monotonicMs();
        this.#resumeFrom = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
        this.#sink.event(event);
      }
    } finally {
      this.#connected = false;
      proven = heard || clock.monotonicMs() - openedAtMs >= PROVEN_WATCH_MS;
      this.#backoffLevel = proven ? 0 : this.#backoffLevel;
      this.#lostPlaces = proven ? 0 : this.#lostPlaces;
    }
    if (!proven && !signal.aborted) {
      throw new KubeError('Transport', this.#attempt(), 'the watch ended at once');
    }
    if (clock.monotonicMs() - this.#heardAtMs >= QUIET_MS) {
      this.#resumeFrom = undefined;
    }
  }

  #watchOptions(resourceVersion: string, signal: AbortSignal, onOpen: () => void) {
    const { namespace, labelSelector, timing, random } = this.#options;
    const { min, max } = timing.watchSeconds;
    const timeoutSeconds = Math.round(min + (max - min) * random());
    return {
      namespace,
      labelSelector,
      resourceVersion,
      timeoutSeconds,
      signal,
      onOpen,
      idleTimeoutMs: timing.idleTimeoutMs,
    };
  }

  #opened(): void {
    if (this.#consecutiveFailures > 0) {
      this.#options.logger.info({ ...this.#logFields(), failures: this.#consecutiveFailures }, 'watching again');
    }
    this.#connected = true;
    this.#lastError = undefined;
    this.#consecutiveFailures = 0;
  }

  #failed(cause: unknown): Delay {
    const error = cause instanceof KubeError ? cause : new KubeError('Transport', this.#attempt(), String(cause));
    const before = this.#lastError;
    this.#log(error, before?.reason === error.reason);
    this.#options.onActivity('failure');
    this.#lastError = error;
    this.#consecutiveFailures += 1;
    // Any answer after none is a sign of life: a server that has just started refuses everybody until it has read its Roles.
    const answersAgain = before !== undefined && before.status === undefined && error.status !== undefined;
    this.#backoffLevel = answersAgain ? 1 : this.#backoffLevel + 1;
    if (this.#resumeFrom !== undefined && this.#mustRelist(error)) {
      this.#resumeFrom = undefined;
      this.#lostPlaces += 1;
      return { delayMs: this.#delayOfListMs(), isNamed: false };
    }
    if (error.reason === 'NotFound') {
      this.#absent = true;
      this.#askedAtMs = this.#askingAtMs;
      this.#sink.absent();
    }
    return { delayMs: this.#delayMs(error), isNamed: typeof error.retry === 'object' };
  }

  /** The place in the stream is lost, or the watch can not tell whether the API is still there and a list can. */
  #mustRelist(error: KubeError): boolean {
    const fromTheFuture = error.status === 504 && this.#consecutiveFailures >= FUTURE_VERSION_TRIES;
    return error.reason === 'Gone' || error.reason === 'NotFound' || error.reason === 'Invalid' || fromTheFuture;
  }

  /** The first list is free; the next ones keep a distance from each other, and an outage in between counts for it. */
  #delayOfListMs(): number {
    const { clock, random, timing } = this.#options;
    const distanceMs = this.#lostPlaces === 1 ? 0 : backoffDelayMs(this.#lostPlaces, timing.backoff, random);
    return Math.max(0, this.#listedAtMs + distanceMs - clock.monotonicMs());
  }

  #delayMs(error: KubeError): number {
    const { timing, random } = this.#options;
    if (typeof error.retry === 'object') {
      return namedDelayMs(error.retry.afterMs, random);
    }
    const maxMs = error.retry === 'outage' ? Math.min(OUTAGE_MAX_MS, timing.backoff.maxMs) : timing.backoff.maxMs;
    return backoffDelayMs(this.#backoffLevel, { ...timing.backoff, maxMs }, random);
  }

  /** An outage is one line, not one per try: repeats of the same reason go to debug. */
  #log(error: KubeError, repeated: boolean): void {
    const fields = { ...this.#logFields(), reason: error.reason, error: error.message };
    if (repeated || error.reason === 'Gone') {
      this.#options.logger.debug(fields, 'list or watch failed, trying again');
    } else {
      this.#options.logger.warn(fields, 'list or watch failed, trying again');
    }
  }

  #attempt() {
    const { resource, namespace } = this.#options;
    return { verb: 'watch', resource: resourceName(resource), namespace } as const;
  }

  #logFields() {
    return { resource: resourceName(this.#options.resource), namespace: this.#options.namespace };
  }
}
