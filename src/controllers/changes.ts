/** What a change in a cache means to whoever depends on the object. */
import type { Change } from '../kube/store.ts';

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

/** The same, or somebody wrote into a status. The first one is always our own, and no news. */
export function isNews(change: Change): boolean {
  const { previous, current } = change;
  if (isRespecified(change)) return true;
  return previous?.status !== undefined && JSON.stringify(previous.status) !== JSON.stringify(current?.status);
}
