/** `agentplane inventory`: looks at what the cluster can enforce and publishes it as a CapabilityReport. */

import { MAX_RUNTIME_CLASSES } from '../api/capability-report.ts';
import { isRefused } from '../compile/providers/row.ts';
import { PROVIDERS } from '../compile/providers.ts';
import { createApiSchemas } from '../inventory/api-schemas.ts';
import { createInventory, type InventorySettings } from '../inventory/inventory.ts';
import type { Command } from './command.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';
import { runService, serviceFlags } from './service.ts';
import { surroundingsFlags, surroundingsOf } from './shared-flags.ts';

/** A provider that is refused by name would be refused pinned as well. */
const PINS = ['auto', ...PROVIDERS.filter((row) => !isRefused(row)).map(({ name }) => name), 'none'] as const;

export const inventoryFlags: readonly Flag[] = [
  { name: 'install-namespace', value: 'NAME', description: 'the namespace of the CapabilityReport' },
  { name: 'capability-report', value: 'NAME', description: 'the CapabilityReport', default: 'cluster' },
  { name: 'system-namespace', value: 'NAME', description: 'where the network provider runs', default: 'kube-system' },
  { name: 'interval-seconds', value: 'N', description: 'time between two looks at the cluster', default: '5' },
  {
    name: 'provider',
    value: 'NAME',
    description: `pins ${PINS.slice(1).join(', ')}; still checked`,
    default: 'auto',
  },
  {
    name: 'runtime-classes',
    value: 'A,B',
    description: 'RuntimeClasses that profiles may name, to be looked for by name',
    default: '',
  },
  ...surroundingsFlags,
  ...serviceFlags,
];

export function inventorySettings(flags: FlagValues): InventorySettings {
  return {
    namespace: flags.text('install-namespace'),
    report: flags.text('capability-report'),
    systemNamespace: flags.text('system-namespace'),
    intervalMs: flags.integer('interval-seconds', { min: 1, max: 3600 }) * 1000,
    pin: flags.oneOf('provider', PINS),
    runtimeClasses: runtimeClassesOf(flags),
    ...surroundingsOf(flags),
  };
}

function runtimeClassesOf(flags: FlagValues): readonly string[] {
  const names = flags.list('runtime-classes');
  if (names.length <= MAX_RUNTIME_CLASSES) return names;
  throw new UsageError(`--runtime-classes: at most ${MAX_RUNTIME_CLASSES} names`);
}

function runInventory(flags: FlagValues): Promise<number> {
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

export const inventoryCommand: Command = { flags: inventoryFlags, run: runInventory };
