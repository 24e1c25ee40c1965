/** What a change in a cache means to whoever depends on the object. */
import { NOT_OBSERVED } from '../api/meta.ts';
import type { Change } from '../kube/store.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';

/** Something is asked for now that was not asked for before: it came, goes, is gone, is another, or has another spec. */
export function isRespecified({ previous, current }: Change): boolean {
  if (previous === undefined || current === undefined) return true;
  const [before, after] = [previous.metadata, current.metadata];
  return (
    before.generation !== after.generation ||
    before.uid !== after.uid ||
    before.deletionTimestamp !== after.deletionTimestamp
  );
}

/** The same, or somebody wrote into a status. The first after the default is always our own, and no news. */
export function isNews(change: Change): boolean {
  const { previous, current } = change;
  if (isRespecified(change)) return true;
  return (
    previous !== undefined &&
    hasBeenObserved(previous) &&
    JSON.stringify(previous.status) !== JSON.stringify(current?.status)
  );
}

function hasBeenObserved({ status }: KubeObject): boolean {
  return isRecord(status) && status.observedGeneration !== NOT_OBSERVED;
}
