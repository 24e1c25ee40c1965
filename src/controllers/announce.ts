/** Tells of a change by an Event on the object. Never waits and never fails: events are a courtesy, the status is the truth. */
import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { Logger } from '../kube/logger.ts';
import type { KubeObject } from '../kube/types.ts';
import { createEventRecorder, type EventOutcome } from '../runtime/events.ts';
import { OPERATOR_MANAGER } from './resources.ts';

export type Announce = (
  object: KubeObject,
  type: 'Normal' | 'Warning',
  what: { readonly reason: string; readonly message: string },
) => void;

export interface AnnouncerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly hooks: { readonly onEvent: (outcome: EventOutcome) => void };
}

export function createAnnouncer({ client, clock, random, logger, hooks }: AnnouncerParts, identity: string): Announce {
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    reportingController: 'agentplane.dev/operator',
    reportingInstance: identity,
    fieldManager: OPERATOR_MANAGER,
    onEvent: hooks.onEvent,
  });
  return (object, type, { reason, message }) => {
    const { name, namespace = '', uid = '' } = object.metadata;
    recorder.emit({
      regarding: { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid },
      type,
      reason,
      action: 'Reconcile',
      note: message,
    });
  };
}
