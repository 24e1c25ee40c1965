/** `agentplane inventory`: looks at what the cluster can enforce and publishes it as a CapabilityReport. */

import { familyOfAddress } from '../compile/cidr.ts';
import { createApiSchemas } from '../inventory/api-schemas.ts';
import { createInventory, type InventorySettings } from '../inventory/inventory.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';
import { runService, serviceFlags } from './service.ts';

export const inventoryFlags: readonly Flag[] = [
  { name: 'install-namespace', value: 'NAME', description: 'the namespace of the CapabilityReport' },
  { name: 'capability-report', value: 'NAME', description: 'the CapabilityReport', default: 'cluster' },
  { name: 'system-namespace', value: 'NAME', description: 'where the network provider runs', default: 'kube-system' },
  { name: 'interval-seconds', value: 'N', description: 'time between two looks at the cluster', default: '15' },
  {
    name: 'provider',
    value: 'NAME',
    description: 'pins auto, cilium, k8s-networkpolicy or none; still checked',
    default: 'auto',
  },
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
  ...serviceFlags,
];

export function inventorySettings(flags: FlagValues): InventorySettings {
  const addresses = flags.list('api-server-addresses');
  const wrong = addresses.find((address) => familyOfAddress(address) === undefined);
  if (wrong !== undefined) throw new UsageError(`--api-server-addresses: "${wrong}" is not an IP address`);
  const podLabels = flags.pairs('dns-labels');
  if (Object.keys(podLabels).length === 0)
    throw new UsageError('--dns-labels: name at least one label, or every pod would count as the resolver');
  return {
    namespace: flags.text('install-namespace'),
    report: flags.text('capability-report'),
    systemNamespace: flags.text('system-namespace'),
    intervalMs: flags.integer('interval-seconds', { min: 1, max: 3600 }) * 1000,
    pin: flags.oneOf('provider', ['auto', 'cilium', 'k8s-networkpolicy', 'none']),
    dns: { namespace: flags.text('dns-namespace'), podLabels },
    apiServerAddresses: addresses,
    apiServerPort: flags.integer('api-server-port', { min: 1, max: 65_535 }),
  };
}

export function runInventory(flags: FlagValues): Promise<number> {
  const settings = inventorySettings(flags);
  return runService('inventory', flags, ({ client, clock, logger, signal }) => {
    const inventory = createInventory(settings, { client, clock, logger, schemas: createApiSchemas(client) });
    return {
      live: {},
      ready: { 'a report has been published': () => inventory.hasPublished() },
      run: async () => {
        await inventory.run(signal);
        return 0;
      },
    };
  });
}
