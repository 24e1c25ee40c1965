/** What an identity cannot do, of all that is dangerous: a review asks for it, and its absence is hard to see in a list of rights. Pure. */
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { reachedBy } from './findings.ts';
import type { Identity } from './identities.ts';

/** Ids of the catalogue. `all` holds the groups that the identity belongs to. Undefined where nobody can tell. */
export function lacksOf(identity: Identity, all: readonly Identity[]): readonly string[] | undefined {
  const groups = all.filter(({ kind, name }) => kind === 'Group' && identity.groups.includes(name));
  const grants = [identity, ...groups].flatMap((each) => each.grants);
  if (grants.some(({ beyond }) => beyond !== undefined)) return undefined;
  const reached = reachedBy({ grants });
  if (reached === undefined) return [];
  return DANGEROUS_RIGHTS.map(({ id }) => id).filter((id) => !reached.has(id));
}
