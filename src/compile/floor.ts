/** Whether an object is a floor: a plain NetworkPolicy that shuts egress of every pod, or of every governed pod. */
import { FLOOR_NAME, PROFILE_LABEL } from '../api/meta.ts';
import type { Selection } from './providers/row.ts';

export type FloorState = { readonly ok: true } | { readonly ok: false; readonly message: string };

/**
 * `live` is the NetworkPolicy of the floor's name in the namespace, or undefined when there is none. A provider that selects pods by
 * their account governs pods without the label as well, so over it only a floor for every pod is one.
 */
export function floorState(
  live: { readonly [field: string]: unknown } | undefined,
  namespace: string,
  selection: Selection,
): FloorState {
  const where = `NetworkPolicy ${FLOOR_NAME} in namespace ${namespace}`;
  const wayOut = "list the namespace under governedNamespaces in the chart's values and upgrade the release";
  if (live === undefined) return { ok: false, message: `${where} does not exist: ${wayOut}` };
  const spec = asObject(live.spec);
  const types = spec.policyTypes;
  if (!Array.isArray(types) || !types.includes('Egress'))
    return { ok: false, message: `${where} does not deny egress: ${wayOut}` };
  if (Array.isArray(spec.egress) && spec.egress.length > 0)
    return { ok: false, message: `${where} allows egress: ${wayOut}` };
  const selected = selectedPods(spec.podSelector);
  if (selected === 'some') return { ok: false, message: `${where} does not select every governed pod: ${wayOut}` };
  if (selected === 'labelled' && selection === 'account') {
    const message = `${where} selects labelled pods only, but this provider governs by ServiceAccount: set floor: AllPods`;
    return { ok: false, message };
  }
  return { ok: true };
}

function selectedPods(selector: unknown): 'all' | 'labelled' | 'some' {
  const { matchLabels, matchExpressions = [], ...rest } = asObject(selector);
  if (Object.keys(rest).length > 0 || Object.keys(asObject(matchLabels)).length > 0) return 'some';
  if (!Array.isArray(matchExpressions)) return 'some';
  if (matchExpressions.length === 0) return 'all';
  const onlyLabelled = matchExpressions.every((item) => {
    const { key, operator } = asObject(item);
    return key === PROFILE_LABEL && operator === 'Exists';
  });
  return onlyLabelled ? 'labelled' : 'some';
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
