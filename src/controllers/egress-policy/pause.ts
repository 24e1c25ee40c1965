/** Whether drift of a policy's outputs is left alone on purpose: by whom, why and until when. */
import type { PauseSpec } from '../../api/pause.ts';
import type { KubeObject } from '../../kube/types.ts';
import { type Drift, describeDrift } from '../drift.ts';
import type { Failure } from '../ensure.ts';
import { holdsField, managersOf } from '../managed-fields.ts';

/** A pause is for maintenance. One without a near end would be a policy that nobody keeps. */
export const MAX_PAUSE_MS = 7 * 24 * 3600_000;

/** `untilMs`: when this is to be judged again, since the epoch. */
export type Pause =
  | {
      readonly kind: 'Active';
      readonly reason: string;
      readonly until: string;
      readonly by: string | undefined;
      readonly untilMs: number;
    }
  | { readonly kind: 'TooLong'; readonly message: string; readonly untilMs: number };

/** Undefined when there is none, or it is over. */
export function pauseOf(spec: PauseSpec | undefined, policy: KubeObject, now: Date): Pause | undefined {
  if (spec === undefined) return undefined;
  const untilMs = Date.parse(spec.until);
  if (untilMs <= now.getTime()) return undefined;
  const possibleAtMs = untilMs - MAX_PAUSE_MS;
  if (possibleAtMs > now.getTime()) {
    const message = 'spec.pause.until is more than 7 days ahead: choose an earlier time';
    return { kind: 'TooLong', message, untilMs: possibleAtMs };
  }
  const [by] = managersOf(policy, (entry) => holdsField(entry, PAUSE_FIELD));
  return { kind: 'Active', ...spec, by, untilMs };
}

/** Of a policy's managed fields only who set the pause: the rest is most of its size. */
export function pauseManagers({ metadata }: KubeObject): KubeObject['metadata'] {
  const managedFields = (metadata.managedFields ?? [])
    .filter((entry) => holdsField(entry, PAUSE_FIELD))
    .map((entry) => ({ ...entry, fieldsV1: { 'f:spec': { 'f:pause': {} } } }));
  return { ...metadata, managedFields };
}

export function pauseObjection(pause: Pause | undefined, drift: Drift): Failure | undefined {
  if (pause?.kind !== 'Active') return undefined;
  const by = pause.by === undefined ? '' : `, says ${pause.by}`;
  const message = `${describeDrift(drift)}; it is left so until ${pause.until}${by}: ${pause.reason}`;
  return { ok: false, reason: 'DriftAccepted', message };
}

const PAUSE_FIELD = ['spec', 'pause'];
