import ipaddr from 'ipaddr.js';
import { ScriptError } from '../lib/errors.ts';

/** A server outside the cluster: its own name in every answer, and the DNS names that lead to it in the cluster. */
interface TargetSpec {
  readonly name: string;
  readonly hosts: readonly string[];
}

const ZONE = 'example.test';

/** Each on an address of its own, so that an answer proves which rule let it through. */
const SPECS = [
  { name: 'api', hosts: [`api.${ZONE}`] },
  { name: 'cdn', hosts: [`cdn.${ZONE}`] },
  { name: 'a.cdn', hosts: [`a.cdn.${ZONE}`] },
  { name: 'a.b.cdn', hosts: [`a.b.cdn.${ZONE}`] },
  { name: 'second', hosts: [`second.${ZONE}`] },
  { name: 'evil', hosts: [`evil.${ZONE}`] },
  { name: 'resolver', hosts: [] },
  { name: 'unnamed', hosts: [] },
] as const satisfies readonly TargetSpec[];

export type TargetName = (typeof SPECS)[number]['name'] | 'metadata';

/** HTTP ports on which every target answers. */
export const TARGET_PORTS = [80, ...Array.from({ length: 11 }, (_, index) => 8000 + index)] as const;

/** Where clouds serve credentials to whoever asks; the node routes it to the targets. */
const METADATA_ADDRESS = '169.254.169.254';

/** A name whose owner lets it lead to the metadata service: what a domain rule must not open. */
const REBINDING_HOST = `rebind.${ZONE}`;

/** Every name that the cluster's resolver is taught. */
export const TARGET_HOSTS: readonly string[] = [...SPECS.flatMap(({ hosts }) => hosts), REBINDING_HOST];

/** Names and addresses of all targets on one network. */
export interface TargetPlan {
  readonly addresses: Readonly<Record<TargetName, string>>;
  /** DNS name to address, as the cluster's resolver and the `resolver` target answer. */
  readonly records: Readonly<Record<string, string>>;
}

/**
 * Fixed addresses at the end of the network's IPv4 range: engines hand out addresses from its beginning.
 * Throws `NotReady` when no IPv4 range of at least a /24 is among the subnets.
 */
export function planTargets(subnets: readonly string[]): TargetPlan {
  const range = subnets.find((subnet) => ipaddr.IPv4.isValidCIDR(subnet) && Number(subnet.split('/')[1]) <= 24);
  if (range === undefined)
    throw new ScriptError('NotReady', `no IPv4 range of at least a /24 in: ${subnets.join(', ')}`);
  const [a, b, c] = ipaddr.IPv4.broadcastAddressFromCIDR(range).octets;
  const pairs = SPECS.map((spec, index) => ({ ...spec, address: `${a}.${b}.${c}.${201 + index}` }));
  const addresses = Object.fromEntries(pairs.map(({ name, address }) => [name, address]));
  const records = pairs.flatMap(({ hosts, address }) => hosts.map((host) => [host, address]));
  return {
    addresses: { ...addresses, metadata: METADATA_ADDRESS } as Record<TargetName, string>,
    records: { ...Object.fromEntries(records), [REBINDING_HOST]: METADATA_ADDRESS },
  };
}

/** The server block that CoreDNS needs for the zone. Unknown names in it do not exist; nothing is asked elsewhere. */
export function coreDnsBlock(plan: TargetPlan): string {
  const lines = Object.entries(plan.records).map(([host, address]) => `        ${address} ${host}`);
  return [`${ZONE}:53 {`, '    errors', '    hosts {', ...lines, '        ttl 5', '    }', '}', ''].join('\n');
}
