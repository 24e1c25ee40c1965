import { ScriptError } from '../lib/errors.ts';

/** A kind cluster that differs from the others in what its network enforces. */
export interface Flavour {
  /** Undefined: a plain CNI that enforces nothing; policies are accepted and have no effect. */
  readonly cilium: { readonly l7Proxy: boolean } | undefined;
}

export const FLAVOURS = {
  plain: { cilium: undefined },
  cilium: { cilium: { l7Proxy: true } },
  'cilium-no-l7': { cilium: { l7Proxy: false } },
} as const satisfies Record<string, Flavour>;

export type FlavourName = keyof typeof FLAVOURS;

export const FLAVOUR_NAMES = Object.keys(FLAVOURS) as FlavourName[];

export function isFlavour(name: string): name is FlavourName {
  return Object.hasOwn(FLAVOURS, name);
}

export function parseFlavour(name: string): FlavourName {
  if (isFlavour(name)) return name;
  throw new ScriptError('BadUsage', `unknown flavour "${name}": choose one of ${FLAVOUR_NAMES.join(', ')}`);
}

/** Name of the kind cluster: one per flavour. */
export function clusterName(flavour: FlavourName): string {
  return `agentplane-${flavour}`;
}

/** A CNI configuration of the reference plugins: addresses and routes, and nothing that could enforce a policy. */
export const PLAIN_NETWORK = {
  cniVersion: '0.4.0',
  name: 'ptp',
  plugins: [
    {
      type: 'ptp',
      ipMasq: true,
      mtu: 1500,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};
