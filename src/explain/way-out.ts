/** From a capability that is missing to what would make it work. Taken from the table of providers where that knows. Pure. */
import type { ProviderName } from '../api/capability.ts';
import type { Missing } from '../compile/compile.ts';
import { type EmittedRow, isRefused, type RefusedRow } from '../compile/providers/row.ts';
import { PROVIDERS } from '../compile/providers.ts';

/** Reasons that lie in the cluster's surroundings or in the rule, whatever the provider. */
const BY_REASON: Readonly<Record<string, string>> = {
  AgentsNotReady: "wait until the provider's agents are ready on every node",
  AmbiguousProvider: 'pin the provider with inventory.provider in the values of the chart',
  APIServerAddressForbidden: 'correct apiServer.addresses in the values of the chart',
  APIServerAddressesUnknown: 'list the addresses under apiServer.addresses in the values of the chart',
  ConfigNotReadable: 'let the inventory read the ConfigMap: install the chart agentplane-cluster',
  LabelNotSelectable: 'select the pods by a label of your own: the provider does not see this one',
  NodeLocalDNS: 'remove the node-local DNS cache, which answers in place of the resolver that rules can name',
  NotImplemented: 'wait for a version of AgentPlane that writes it',
  NotReported: 'upgrade the inventory together with the operator',
  PolicyAPIMissing: "install the provider's CRDs of its own release",
  ResolverUnknown: 'name the resolver in the values of the chart (inventory.dns)',
  VersionUnknown: "give the agent's image a tag that is its version",
};

export function wayOut(missing: Missing, provider: ProviderName): string {
  const row = PROVIDERS.find(({ name }) => name === provider);
  const here = row !== undefined && isRefused(row) ? byRefusedRow(row) : byRow(missing, row);
  const other = byOtherProvider(missing, provider);
  const less = missing.capability === 'isolation' ? undefined : 'leave it out of the policy';
  return [here, other, less].filter((part) => part !== undefined).join('; or ');
}

function byRefusedRow({ title, needed }: RefusedRow): string {
  return `AgentPlane writes no policies for ${title}: that would take ${needed}`;
}

function byRow({ capability, reason }: Missing, row: EmittedRow | undefined): string | undefined {
  const off = row?.switches.find((item) => item.reason === reason);
  if (off !== undefined) {
    const where = off.key.startsWith('--')
      ? `flag ${off.key} of the agents`
      : `${off.key} in ConfigMap ${row?.configMap}`;
    return `change ${where}, which takes it away`;
  }
  if (reason !== 'ProviderTooOld') return BY_REASON[reason];
  const since = row?.supports.find((item) => item.capability === capability)?.since ?? row?.versions?.minimum;
  return `upgrade ${row?.name} to ${since} or newer`;
}

function byOtherProvider({ capability }: Missing, provider: ProviderName): string | undefined {
  const able = PROVIDERS.filter((row) => row.name !== provider && !isRefused(row)).flatMap((row) => {
    const support = row.supports.find((item) => item.capability === capability);
    if (support === undefined) return [];
    return [support.since === undefined ? row.title : `${row.title} ${support.since} or newer`];
  });
  return able.length === 0 ? undefined : `use a cluster whose provider can: ${able.join(', ')}`;
}
