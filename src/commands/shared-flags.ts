/** Flags that several commands have, with one meaning and one default. */
import { addressProblem } from '../compile/cidr.ts';
import type { Limits } from '../compile/validate.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';

/** What the inventory is told of the cluster, since it cannot be seen. */
export const surroundingsFlags: readonly Flag[] = [
  {
    name: 'dns-namespace',
    value: 'NAME',
    description: 'the namespace of the cluster resolver',
    default: 'kube-system',
  },
  {
    name: 'dns-labels',
    value: 'K=V,...',
    description: "the labels of the resolver's pods",
    default: 'k8s-app=kube-dns',
  },
  {
    name: 'api-server-addresses',
    value: 'A,B',
    description: 'addresses of the API server, where the provider has no name for it',
    default: '',
  },
  { name: 'api-server-port', value: 'PORT', description: 'the port it listens on', default: '6443' },
];

export interface Surroundings {
  readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
  readonly apiServerAddresses: readonly string[];
  readonly apiServerPort: number;
}

export function surroundingsOf(flags: FlagValues): Surroundings {
  const addresses = flags.list('api-server-addresses');
  const [problem] = addresses.flatMap((address) => addressProblem(address) ?? []);
  if (problem !== undefined) throw new UsageError(`--api-server-addresses: ${problem}`);
  const podLabels = flags.pairs('dns-labels');
  if (Object.keys(podLabels).length === 0)
    throw new UsageError('--dns-labels: name at least one label, or every pod would count as the resolver');
  return {
    dns: { namespace: flags.text('dns-namespace'), podLabels },
    apiServerAddresses: addresses,
    apiServerPort: flags.integer('api-server-port', { min: 1, max: 65_535 }),
  };
}

/** What whoever installs the chart allows policies to say. */
export const limitFlags: readonly Flag[] = [
  {
    name: 'allow-any-destination',
    value: 'true|false',
    description: 'whether a policy may open the whole internet',
    default: 'false',
  },
  { name: 'cluster-domain', value: 'NAME', description: 'the DNS domain of the cluster', default: 'cluster.local' },
];

export function limitsOf(flags: FlagValues): Limits {
  return { allowAnyDestination: flags.boolean('allow-any-destination'), clusterDomain: flags.text('cluster-domain') };
}

export const fileFlag: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE',
  description: 'a file, a folder (recursively *.yaml, *.yml, *.json), or - for standard input; may be given again',
  many: true,
};

export const outputFlag = (values: readonly string[]): Flag => ({
  name: 'output',
  short: 'o',
  value: values.join('|'),
  description: 'how the result is printed',
  default: values[0] ?? '',
});

export const namespaceFlag = (description: string, fallback?: string): Flag => ({
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  description,
  default: fallback ?? '',
});
