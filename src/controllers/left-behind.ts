/**
 * Fields that an apply leaves behind although they are our own and not decided any more: the server books what our POST has set as another
 * owner's, and an apply takes away only what an apply has set. ADR 0005. Pure.
 */

import { canonicalJson } from '../compile/canonical.ts';
import type { DesiredObject } from '../compile/names.ts';
import type { MergePatch } from '../kube/client.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import { enforcedPart } from './drift.ts';

/** Takes them away from exactly what was seen. Undefined when that is not all that differs. */
export function withoutLeftBehind(desired: DesiredObject, live: KubeObject): MergePatch | undefined {
  const { spec } = live;
  if (!isRecord(spec)) return undefined;
  const stale = Object.keys(spec).filter((field) => !(field in desired.spec));
  const rest = Object.fromEntries(Object.entries(spec).filter(([field]) => !stale.includes(field)));
  const wanted = { ...enforcedPart(live), spec: rest };
  if (stale.length === 0 || canonicalJson(wanted) !== canonicalJson({ spec: desired.spec })) return undefined;
  const { uid, resourceVersion } = live.metadata;
  return { metadata: { uid, resourceVersion }, spec: Object.fromEntries(stale.map((field) => [field, null])) };
}
