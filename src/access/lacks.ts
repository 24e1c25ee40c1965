/** What an identity cannot do, of all that is dangerous: a review asks for it, and its absence is hard to see in a list of rights. Pure. */
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { DANGEROUS_PATHS } from './dangerous-path.ts';
import { reachedBy } from './findings.ts';
import { type Identity, isWhereBound } from './identities.ts';

/** Ids of the catalogue. `groups` holds those that the identity belongs to, by name. Undefined where nobody can tell. */
export function lacksOf(identity: Identity, groups: ReadonlyMap<string, Identity>): readonly string[] | undefined {
  const grants = [identity.grants, ...identity.groups.map((name) => groups.get(name)?.grants ?? [])].flat();
  if (identity.kind === 'Group' && identity.name === 'system:masters') return [];
  // Such a role has rights beside those that were read of it.
  if (grants.some(({ beyond, binding }) => beyond !== undefined || isWhereBound(binding))) return undefined;
  const reached = reachedBy({ grants });
  if (reached === undefined) return [];
  return [...DANGEROUS_RIGHTS, ...DANGEROUS_PATHS].map(({ id }) => id).filter((id) => !reached.has(id));
}
