/** A provider as its row describes it, with nothing in the way: for judging policies where no cluster is at hand, and for tests. */
import type { ProviderName } from '../api/capability.ts';
import { isRefused, type ProviderRow } from './providers/row.ts';
import { PROVIDERS } from './providers.ts';
import type { Seen, SeenDaemonSet } from './seen.ts';

/**
 * What the inventory would see of a usual installation; of `none`, of a cluster where nothing enforces. `version` is
 * `major.minor.patch`; absent, it is the one that the provider is proven on.
 */
export function healthySeen(provider: ProviderName, version?: string): Seen {
  const row = PROVIDERS.find(({ name }) => name === provider);
  return {
    daemonSets: row === undefined ? [] : healthyDaemonSets(row, version),
    unreadable: [],
    configMaps: row?.configMap === undefined ? {} : { [row.configMap]: row.usual ?? {} },
    apis: row === undefined ? [] : [row.name],
    pin: 'auto',
    apiServerAddresses: [],
    resolverLabels: ['k8s-app'],
  };
}

function healthyDaemonSets(row: ProviderRow, version: string | undefined): readonly SeenDaemonSet[] {
  const beside = typeof row.toldApartBy === 'object' ? [row.toldApartBy.daemonSet] : [];
  return [...row.daemonSets.slice(0, 1), ...beside].map((name) => ({
    name,
    desired: 1,
    ready: 1,
    updated: 1,
    upToDate: true,
    flags: row.usual ?? {},
    imageTags: imageTags(row, version),
  }));
}

function imageTags(row: ProviderRow, version: string | undefined): Readonly<Record<string, string>> {
  if (isRefused(row) || row.versionContainer === undefined) return {};
  return { [row.versionContainer]: version ?? row.versions?.proven ?? '' };
}
