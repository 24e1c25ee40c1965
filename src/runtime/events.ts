import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { isKubeError } from '../kube/errors.ts';
import { microTime } from '../kube/lease-record.ts';
import type { Logger } from '../kube/logger.ts';
import { boundedText } from '../kube/text.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../kube/types.ts';
import { EventFilter, type EventFilterLimits } from './event-filter.ts';

export const EVENTS: Resource = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };

/** The object an Event is about. Events live in its namespace. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface EventInput {
  readonly regarding: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase; why. */
  readonly reason: string;
  /** CamelCase; what was done. */
  readonly action: string;
  /** For people. Capped at 1 KiB and escaped; must not hold secret data. */
  readonly note: string;
}

/** A closed set, for a metric label. */
export const EVENT_OUTCOMES = ['sent', 'failed', 'duplicate', 'limited', 'overflow'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** A qualified name, for example `example.dev/controller`. */
  readonly reportingController: string;
  /** At most 128 characters, for example the pod name. */
  readonly reportingInstance: string;
  readonly fieldManager: string;
  readonly limits?: EventFilterLimits | undefined;
  readonly onEvent?: ((outcome: EventOutcome) => void) | undefined;
}

export interface EventRecorder {
  /** Returns at once and never throws: an Event that is lost is counted, and nothing waits for one. */
  emit(event: EventInput): void;
}

/** kubernetes/kubernetes pkg/apis/core/validation/events.go: the note must be shorter than 1 KiB. */
const MAX_NOTE_BYTES = 1023;
/** An API server that is away must not turn Events into memory. */
const MAX_IN_FLIGHT = 64;
const SEND_TIMEOUT_MS = 5000;

/** Records `events.k8s.io/v1` Events with the verb `create` alone: repeats are dropped, not counted up in place. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const filter = new EventFilter(options.clock, options.limits);
  let inFlight = 0;
  const count = (outcome: EventOutcome) => options.onEvent?.(outcome);

  const send = async (event: EventInput) => {
    const { client, fieldManager, logger } = options;
    try {
      await client.create(EVENTS, buildEvent(options, event), { fieldManager, timeoutMs: SEND_TIMEOUT_MS });
      count('sent');
    } catch (error) {
      count('failed');
      const reason = isKubeError(error) ? error.reason : 'Unknown';
      logger.debug({ reason, err: error, event: event.reason }, 'an Event could not be recorded');
    }
  };

  return {
    emit: (event) => {
      if (inFlight >= MAX_IN_FLIGHT) {
        count('overflow');
        return;
      }
      const verdict = filter.check(event.regarding.uid, `${event.reason}\n${event.note}`);
      if (verdict !== 'pass') {
        count(verdict);
        return;
      }
      inFlight += 1;
      void send(event).finally(() => {
        inFlight -= 1;
      });
    },
  };
}

function buildEvent(options: EventRecorderOptions, event: EventInput): KubeObject {
  const { regarding, type, reason, action } = event;
  return {
    apiVersion: apiVersionOf(EVENTS),
    kind: EVENTS.kind,
    metadata: { namespace: regarding.namespace, name: eventName(regarding.name, options.random) },
    eventTime: microTime(options.clock.now()),
    reportingController: options.reportingController,
    reportingInstance: boundedText(options.reportingInstance, 128),
    type,
    reason,
    action,
    regarding,
    note: boundedText(event.note, MAX_NOTE_BYTES),
  };
}

/** The subject's name, cut so that the whole stays a DNS subdomain, and 64 random bits. */
function eventName(subject: string, random: Random): string {
  const prefix = subject.slice(0, 200).replace(/[^a-z0-9]+$/, '');
  return `${prefix}.${hex32(random)}${hex32(random)}`;
}

function hex32(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}
