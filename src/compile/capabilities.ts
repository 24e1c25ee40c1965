/** From what was seen in a cluster to the provider and the state of every capability. Pure; the inventory does the seeing. */
import { CAPABILITIES, type Capability, type CapabilityState, type ProviderName } from '../api/capability.ts';
import { apiServerGap } from './api-server.ts';
import { type EmittedRow, lackOf, NEEDS_RESOLVER_PODS, type ProviderRow, type RefusedRow } from './providers/row.ts';
import { NODE_LOCAL_DNS } from './providers.ts';
import { recognise } from './recognise.ts';
import type { Seen, SeenDaemonSet } from './seen.ts';
import { compareVersions, parseVersion } from './version.ts';

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

type Judged = Omit<Assessment, 'nodeLocalDns'>;

export function assess(seen: Seen): Assessment {
  const nodeLocalDns = seen.daemonSets.some((item) => item.name === NODE_LOCAL_DNS);
  return { ...judge(seen, nodeLocalDns), nodeLocalDns };
}

function judge(seen: Seen, nodeLocalDns: boolean): Judged {
  const found = recognise(seen);
  switch (found.is) {
    case 'Emitted':
      return assessRow({ ...found, seen, nodeLocalDns, version: versionOf(found.row, found.agent) });
    case 'Refused':
      return refuse(found.row, found.agent, seen);
    case 'Ambiguous':
      return { provider: 'ambiguous', detail: found.detail, capabilities: all('Unsupported', 'AmbiguousProvider') };
    case 'None':
      return { provider: 'none', detail: found.detail, capabilities: all(found.state, found.reason) };
  }
}

interface Circumstances {
  readonly row: EmittedRow;
  readonly agent: SeenDaemonSet;
  readonly version: string | undefined;
  readonly seen: Seen;
  readonly nodeLocalDns: boolean;
}

function assessRow(circumstances: Circumstances): Judged {
  const { row, agent, version, seen } = circumstances;
  const stop = blanket(row, agent, seen) ?? tooOld(row, version);
  return {
    provider: row.name,
    ...(version === undefined ? {} : { version }),
    agents: { desired: agent.desired, ready: agent.ready },
    detail: stop?.detail ?? `DaemonSet ${agent.name} runs on ${agent.ready} of ${agent.desired} nodes`,
    capabilities:
      stop === undefined
        ? CAPABILITIES.map((name) => entry(name, missingReason(name, circumstances)))
        : all(stop.state, stop.reason),
  };
}

/** Says who was recognised, what is missing here, and whether it would enforce anything as it is. */
function refuse(row: RefusedRow, agent: SeenDaemonSet | undefined, seen: Seen): Judged {
  const by = agent === undefined ? `${row.api.kind} of ${row.api.group}/${row.api.version}` : `DaemonSet ${agent.name}`;
  const off = row.switches.find((item) => item.removes === 'all' && isOff(item, row, agent, seen));
  const trouble = agent === undefined ? undefined : blanket(row, agent, seen)?.detail;
  const besides = trouble ?? (off === undefined ? undefined : `${off.key} is not as it has to be (${off.reason})`);
  return {
    provider: row.name,
    ...(agent === undefined ? {} : { agents: { desired: agent.desired, ready: agent.ready } }),
    detail:
      `provider ${row.name} (${row.title}) is recognised by ${by}, but AgentPlane has no emitter for it: ` +
      `that would take ${row.needed}${besides === undefined ? '' : `. Besides, ${besides}`}`,
    capabilities: all('Unsupported', 'NoEmitter'),
  };
}

interface Blanket {
  readonly state: CapabilityState;
  readonly reason: string;
  readonly detail: string;
}

/** What takes every capability away at once. */
function blanket(row: ProviderRow, agent: SeenDaemonSet, seen: Seen): Blanket | undefined {
  if (!seen.apis.includes(row.name)) {
    const detail = `${row.api.kind} with the field ${row.api.field.join('.')} is not served by ${row.api.group}/${row.api.version}`;
    return { state: 'Unsupported', reason: 'PolicyAPIMissing', detail };
  }
  if (!agent.upToDate || agent.desired === 0 || agent.ready < agent.desired) {
    const ready = `is ready on ${agent.ready} of ${agent.desired} nodes`;
    const detail = `DaemonSet ${agent.name} ${agent.upToDate ? ready : 'has a newer spec than its controller has observed'}`;
    return { state: 'Unknown', reason: 'AgentsNotReady', detail };
  }
  if (agent.updated < agent.desired) {
    const detail = `the newest template of DaemonSet ${agent.name} runs on ${agent.updated} of ${agent.desired} nodes, the rest run another version`;
    return { state: 'Unknown', reason: 'AgentsNotUpdated', detail };
  }
  if (row.configMap !== undefined && seen.configMaps[row.configMap] === undefined) {
    const detail = `ConfigMap ${row.configMap} is not there or may not be read`;
    return { state: 'Unknown', reason: 'ConfigNotReadable', detail };
  }
  return undefined;
}

function versionOf(row: EmittedRow, agent: SeenDaemonSet): string | undefined {
  return row.versionContainer === undefined ? undefined : parseVersion(agent.imageTags[row.versionContainer] ?? '');
}

function tooOld(row: EmittedRow, version: string | undefined): Blanket | undefined {
  if (row.versions === undefined) return undefined;
  if (version === undefined) {
    const detail = `the version of ${row.title} cannot be told from the image tag of container ${row.versionContainer}`;
    return { state: 'Unknown', reason: 'VersionUnknown', detail };
  }
  if (compareVersions(version, row.versions.minimum) >= 0) return undefined;
  const detail = `${row.title} ${version} is older than ${row.versions.minimum}`;
  return { state: 'Unsupported', reason: 'ProviderTooOld', detail };
}

/** The reason why a capability is missing; undefined when it is there. */
function missingReason(name: Capability, circumstances: Circumstances): string | undefined {
  const { row, version } = circumstances;
  return lackOf(row, name, version) ?? bySwitch(name, circumstances) ?? bySurroundings(name, circumstances);
}

function bySwitch(name: Capability, { row, agent, seen }: Circumstances): string | undefined {
  return row.switches.find(
    (item) => (item.removes === 'all' || item.removes.includes(name)) && isOff(item, row, agent, seen),
  )?.reason;
}

function isOff(
  { key, daemonSet, absent, fine }: ProviderRow['switches'][number],
  row: ProviderRow,
  agent: SeenDaemonSet | undefined,
  seen: Seen,
): boolean {
  if (daemonSet !== undefined && daemonSet !== agent?.name) return false;
  const config = row.configMap === undefined ? undefined : seen.configMaps[row.configMap];
  const value = key.startsWith('--') ? agent?.flags[key] : config?.[key];
  return !fine(value ?? absent, seen.resolverLabels);
}

function bySurroundings(name: Capability, { row, seen, nodeLocalDns }: Circumstances): string | undefined {
  if (nodeLocalDns && NEEDS_RESOLVER_PODS.includes(name)) return 'NodeLocalDNS';
  return name === 'kubeAPIServer' ? apiServerGap(row.name, seen.apiServerAddresses) : undefined;
}

function entry(name: Capability, missing: string | undefined): CapabilityEntry {
  return missing === undefined
    ? { name, state: 'Supported', reason: 'Declared' }
    : { name, state: 'Unsupported', reason: missing };
}

function all(state: CapabilityState, reason: string): readonly CapabilityEntry[] {
  return CAPABILITIES.map((name) => ({ name, state, reason }));
}
