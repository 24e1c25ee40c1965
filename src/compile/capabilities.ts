/** From what was seen in a cluster to the provider and the state of every capability. Pure; the inventory does the seeing. */
import { CAPABILITIES, type Capability, type CapabilityState, type ProviderName } from '../api/capability.ts';
import { KNOWN_WITHOUT_EMITTER, NODE_LOCAL_DNS, PROVIDERS, type ProviderRow } from './providers.ts';
import { compareVersions, parseVersion } from './version.ts';

export interface SeenDaemonSet {
  readonly name: string;
  readonly desired: number;
  readonly ready: number;
  /** False while the controller has not looked at the newest spec. */
  readonly upToDate: boolean;
  /** Flags of its containers, such as `--run-firewall`, with their values. */
  readonly flags: Readonly<Record<string, string>>;
  /** Image tags by container name. */
  readonly imageTags: Readonly<Record<string, string>>;
}

export interface Seen {
  readonly daemonSets: readonly SeenDaemonSet[];
  /** The data of the ConfigMaps that were found, by name. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The names of providers whose API is served with the field that tells it from a look-alike. */
  readonly apis: readonly ProviderName[];
  /** `auto`, or the provider that the admin pinned. A pin is still checked. */
  readonly pin: ProviderName | 'auto';
  /** Addresses of the API server that the admin listed. */
  readonly apiServerAddresses: readonly string[];
}

export interface CapabilityEntry {
  readonly name: Capability;
  readonly state: CapabilityState;
  readonly reason: string;
}

export interface Assessment {
  readonly provider: ProviderName;
  readonly version?: string;
  readonly detail: string;
  readonly agents?: { readonly desired: number; readonly ready: number };
  readonly capabilities: readonly CapabilityEntry[];
  readonly nodeLocalDns: boolean;
}

export function assess(seen: Seen): Assessment {
  const nodeLocalDns = seen.daemonSets.some((item) => item.name === NODE_LOCAL_DNS);
  const candidates = PROVIDERS.flatMap((row) => {
    const daemonSet = seen.daemonSets.find((item) => row.daemonSets.includes(item.name));
    return daemonSet === undefined ? [] : [{ row, daemonSet }];
  });
  const chosen = seen.pin === 'auto' ? candidates : candidates.filter(({ row }) => row.name === seen.pin);
  const [first, second] = chosen;
  if (first === undefined) return { ...nothing('none', noneDetail(seen), 'NoEnforcingProvider'), nodeLocalDns };
  if (second !== undefined) {
    const names = chosen.map(({ daemonSet }) => daemonSet.name).join(' and ');
    const detail = `the agents of more than one provider run (${names}): pin one with inventory.provider`;
    return { ...nothing('ambiguous', detail, 'AmbiguousProvider'), nodeLocalDns };
  }
  return { ...assessRow(first.row, first.daemonSet, seen, nodeLocalDns), nodeLocalDns };
}

function assessRow(
  row: ProviderRow,
  agent: SeenDaemonSet,
  seen: Seen,
  nodeLocalDns: boolean,
): Omit<Assessment, 'nodeLocalDns'> {
  const version =
    row.versionContainer === undefined ? undefined : parseVersion(agent.imageTags[row.versionContainer] ?? '');
  const base = {
    provider: row.name,
    ...(version === undefined ? {} : { version }),
    agents: { desired: agent.desired, ready: agent.ready },
  };
  const stop = blanket(row, agent, seen, version);
  const detail = stop?.detail ?? `DaemonSet ${agent.name} runs on ${agent.ready} of ${agent.desired} nodes`;
  const capabilities = CAPABILITIES.map((name): CapabilityEntry => {
    if (stop !== undefined) return { name, state: stop.state, reason: stop.reason };
    return entry(name, missingReason(name, { row, agent, version, seen, nodeLocalDns }));
  });
  return { ...base, detail, capabilities };
}

interface Blanket {
  readonly state: CapabilityState;
  readonly reason: string;
  readonly detail: string;
}

/** What takes every capability away at once. */
function blanket(row: ProviderRow, agent: SeenDaemonSet, seen: Seen, version: string | undefined): Blanket | undefined {
  if (row.api !== undefined && !seen.apis.includes(row.name)) {
    const detail = `${row.api.kind} with the field ${row.api.field.join('.')} is not served by ${row.api.group}/${row.api.version}`;
    return { state: 'Unsupported', reason: 'PolicyAPIMissing', detail };
  }
  if (!agent.upToDate || agent.desired === 0 || agent.ready < agent.desired) {
    const detail = `DaemonSet ${agent.name} is ready on ${agent.ready} of ${agent.desired} nodes`;
    return { state: 'Unknown', reason: 'AgentsNotReady', detail };
  }
  const config = row.configMap === undefined ? {} : seen.configMaps[row.configMap];
  if (config === undefined) {
    return { state: 'Unknown', reason: 'ConfigNotReadable', detail: `ConfigMap ${row.configMap} cannot be read` };
  }
  if (row.minimumVersion !== undefined && version === undefined) {
    return {
      state: 'Unknown',
      reason: 'VersionUnknown',
      detail: `the version of ${agent.name} cannot be told from its image tag`,
    };
  }
  if (row.minimumVersion !== undefined && version !== undefined && compareVersions(version, row.minimumVersion) < 0) {
    const detail = `${row.name} ${version} is older than ${row.minimumVersion}`;
    return { state: 'Unsupported', reason: 'ProviderTooOld', detail };
  }
  return undefined;
}

interface Circumstances {
  readonly row: ProviderRow;
  readonly agent: SeenDaemonSet;
  readonly version: string | undefined;
  readonly seen: Seen;
  readonly nodeLocalDns: boolean;
}

/** The reason why a capability is missing; undefined when it is there. */
function missingReason(name: Capability, circumstances: Circumstances): string | undefined {
  return byRow(name, circumstances) ?? bySwitch(name, circumstances) ?? bySurroundings(name, circumstances);
}

function byRow(name: Capability, { row, version }: Circumstances): string | undefined {
  const lack = row.lacks.find((item) => item.capability === name);
  if (lack !== undefined) return lack.reason;
  const support = row.supports.find((item) => item.capability === name);
  if (support === undefined) return 'NotImplemented';
  if (support.since === undefined) return undefined;
  return compareVersions(version ?? '0.0.0', support.since) < 0 ? 'ProviderTooOld' : undefined;
}

function bySwitch(name: Capability, { row, agent, seen }: Circumstances): string | undefined {
  const config = row.configMap === undefined ? {} : (seen.configMaps[row.configMap] ?? {});
  return row.switches.find((item) => {
    const value = item.key.startsWith('--') ? agent.flags[item.key] : config[item.key];
    const off = !item.fine.includes(value ?? item.absent);
    return off && (item.removes === 'all' || item.removes.includes(name));
  })?.reason;
}

function bySurroundings(name: Capability, { row, seen, nodeLocalDns }: Circumstances): string | undefined {
  if (nodeLocalDns && NEEDS_RESOLVER_PODS.includes(name)) return 'NodeLocalDNS';
  const needsAddresses = name === 'kubeAPIServer' && row.name === 'k8s-networkpolicy';
  return needsAddresses && seen.apiServerAddresses.length === 0 ? 'APIServerAddressesUnknown' : undefined;
}

/** Capabilities that rest on pods asking the resolver's pods, not an address of their node. */
const NEEDS_RESOLVER_PODS: readonly Capability[] = [
  'dns.clusterResolver',
  'dns.filter',
  'domain.exact',
  'domain.oneLabel',
  'domain.anyDepth',
];

function entry(name: Capability, missing: string | undefined): CapabilityEntry {
  return missing === undefined
    ? { name, state: 'Supported', reason: 'Declared' }
    : { name, state: 'Unsupported', reason: missing };
}

function nothing(provider: ProviderName, detail: string, reason: string): Omit<Assessment, 'nodeLocalDns'> {
  return { provider, detail, capabilities: CAPABILITIES.map((name) => ({ name, state: 'Unsupported', reason })) };
}

function noneDetail(seen: Seen): string {
  if (seen.pin !== 'auto' && seen.pin !== 'none') return `provider ${seen.pin} is pinned, but none of its agents runs`;
  const known = seen.daemonSets.flatMap((item) => KNOWN_WITHOUT_EMITTER[item.name] ?? []);
  if (known.length > 0) return `${known.join(', ')} was found, for which AgentPlane has no emitter`;
  return 'no agent of a network policy provider was found: nothing would enforce a policy';
}
