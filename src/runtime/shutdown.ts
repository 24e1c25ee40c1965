import type { Clock } from '../kube/clock.ts';
import type { Logger } from '../kube/logger.ts';

/** The part of `process` that is used, so that a test can stand in for it. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

export interface ShutdownOptions {
  readonly signals: SignalSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time from the first signal until the process ends whatever it is doing. Below the pod's terminationGracePeriodSeconds. */
  readonly graceMs: number;
  readonly exit: (code: number) => void;
}

export interface Shutdown {
  /** Aborted by SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Removes the handlers and the deadline: the program has ended by itself. */
  dispose(): void;
}

/**
 * First SIGTERM or SIGINT: abort, and exit with 1 when that takes longer than `graceMs`. Second: exit with 1 at once.
 *
 * SIGUSR1 is taken and ignored: without a listener Node opens its inspector on it, which runs code for whoever connects
 * (https://nodejs.org/api/process.html#signal-events). Start Node with `--disable-sigusr1` as well: until this call nothing listens.
 */
export function installShutdown(options: ShutdownOptions): Shutdown {
  const { signals, clock, logger, graceMs, exit } = options;
  const controller = new AbortController();
  let cancelDeadline: (() => void) | undefined;

  const stop = (name: NodeJS.Signals) => () => {
    if (controller.signal.aborted) {
      logger.warn({ signal: name }, 'second signal, exiting now');
      exit(1);
      return;
    }
    logger.info({ signal: name, graceMs }, 'shutting down');
    cancelDeadline = clock.schedule(graceMs, () => {
      logger.error({ graceMs }, 'shutdown took too long, exiting now');
      exit(1);
    });
    controller.abort();
  };
  const ignore = () => logger.warn({ signal: 'SIGUSR1' }, 'ignored: this process opens no inspector');

  const handlers: readonly (readonly [NodeJS.Signals, () => void])[] = [
    ['SIGTERM', stop('SIGTERM')],
    ['SIGINT', stop('SIGINT')],
    ['SIGUSR1', ignore],
  ];
  for (const [name, handler] of handlers) {
    signals.on(name, handler);
  }
  return {
    signal: controller.signal,
    dispose: () => {
      cancelDeadline?.();
      for (const [name, handler] of handlers) {
        signals.off(name, handler);
      }
    },
  };
}
