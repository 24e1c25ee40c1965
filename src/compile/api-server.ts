/** The API server by its addresses, for a provider that has no name for it. The report lists what whoever installs the chart has set. */
import type { ProviderName } from '../api/capability.ts';
import { addressProblem } from './cidr.ts';
import type { KnownFacts } from './facts.ts';

const FORBIDDEN = 'APIServerAddressForbidden';

/**
 * Why rules cannot rest on the listed addresses; undefined when they can. One that no policy may open spoils the whole list: without it
 * the rule would be another one than was asked for.
 */
export function apiServerGap(provider: ProviderName, addresses: readonly string[]): string | undefined {
  if (provider !== 'k8s-networkpolicy') return undefined;
  if (addresses.length === 0) return 'APIServerAddressesUnknown';
  return problemOf(addresses) === undefined ? undefined : FORBIDDEN;
}

/** What that reason leaves open: which address it is, and who can change it. Not the author of the policy. Undefined for other reasons. */
export function apiServerWords(
  missing: readonly { readonly reason: string }[],
  { apiServerAddresses }: Pick<KnownFacts, 'apiServerAddresses'>,
): string | undefined {
  const problem = missing.some(({ reason }) => reason === FORBIDDEN) ? problemOf(apiServerAddresses) : undefined;
  return (
    problem && `${problem}: whoever installs the chart agentplane has to correct apiServer.addresses in its values`
  );
}

function problemOf(addresses: readonly string[]): string | undefined {
  return addresses.map(addressProblem).find((problem) => problem !== undefined);
}
