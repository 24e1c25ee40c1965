/** Which provider runs: by its agents first, by its API alone where it has no agents to be seen. Pure. */
import type { CapabilityState } from '../api/capability.ts';
import { type EmittedRow, isRefused, type ProviderRow, type RefusedRow } from './providers/row.ts';
import { PROVIDERS } from './providers.ts';
import type { Seen, SeenDaemonSet } from './seen.ts';

export type Recognition =
  | { readonly is: 'Emitted'; readonly row: EmittedRow; readonly agent: SeenDaemonSet }
  | { readonly is: 'Refused'; readonly row: RefusedRow; readonly agent?: SeenDaemonSet }
  | { readonly is: 'Ambiguous'; readonly detail: string }
  | { readonly is: 'None'; readonly state: CapabilityState; readonly reason: string; readonly detail: string };

interface Candidate {
  readonly row: ProviderRow;
  readonly agent: SeenDaemonSet;
}

export function recognise(seen: Seen): Recognition {
  if (seen.unreadable.length > 0) {
    // One of them may be what tells a variant apart.
    const detail = `DaemonSets ${seen.unreadable.join(', ')} may not be read: install or upgrade the chart agentplane-cluster`;
    return { is: 'None', state: 'Unknown', reason: 'AgentsNotReadable', detail };
  }
  const running = candidates(seen);
  const chosen = seen.pin === 'auto' ? running : running.filter(({ row }) => row.name === seen.pin);
  const [first, second] = chosen;
  if (first === undefined) return seen.pin === 'auto' ? byApiAlone(seen) : pinnedInVain(seen, running);
  if (second === undefined) {
    const { row, agent } = first;
    return isRefused(row) ? { is: 'Refused', row, agent } : { is: 'Emitted', row, agent };
  }
  const wayOut = seen.pin === 'auto' ? 'pin one with inventory.provider' : 'remove one';
  return { is: 'Ambiguous', detail: `the agents of more than one provider run (${described(chosen)}): ${wayOut}` };
}

function candidates(seen: Seen): readonly Candidate[] {
  const running = PROVIDERS.filter((row) => isToldApart(row, seen)).flatMap((row) =>
    seen.daemonSets.filter(({ name }) => row.daemonSets.includes(name)).map((agent): Candidate => ({ row, agent })),
  );
  const mistaken = new Set(running.flatMap(({ row }) => row.insteadOf));
  const real = running.filter(({ row }) => !mistaken.has(row.name));
  // Whoever replaces a provider may leave its DaemonSet behind with no node to run on.
  const awake = real.filter(({ agent }) => agent.desired > 0 || !agent.upToDate);
  return awake.length > 0 ? awake : real;
}

function isToldApart({ name, toldApartBy }: ProviderRow, seen: Seen): boolean {
  if (toldApartBy === undefined) return true;
  if (toldApartBy === 'api') return seen.apis.includes(name);
  return seen.daemonSets.some((item) => item.name === toldApartBy.daemonSet);
}

function byApiAlone(seen: Seen): Recognition {
  const row = PROVIDERS.find((item) => item.daemonSets.length === 0 && seen.apis.includes(item.name));
  if (row !== undefined && isRefused(row)) return { is: 'Refused', row };
  const detail = 'no agent of a network policy provider was found: nothing would enforce a policy';
  return { is: 'None', state: 'Unsupported', reason: 'NoEnforcingProvider', detail: `${detail}${leftOver(seen)}` };
}

/** CRDs stay after an uninstall, and some providers mean them to. */
function leftOver(seen: Seen): string {
  const rows = PROVIDERS.filter(({ name, api }) => api.group !== 'networking.k8s.io' && seen.apis.includes(name));
  const apis = [...new Set(rows.map(({ api }) => `${api.kind} of ${api.group}/${api.version}`))];
  return apis.length === 0 ? '' : `, although ${apis.join(' and ')} is served`;
}

function pinnedInVain(seen: Seen, running: readonly Candidate[]): Recognition {
  const common = { is: 'None', state: 'Unsupported' } as const;
  if (seen.pin === 'none') {
    return {
      ...common,
      reason: 'NoEnforcingProvider',
      detail: 'inventory.provider says that nothing enforces policies',
    };
  }
  const found = running.length === 0 ? '' : `; found was ${described(running)}`;
  const detail = `provider ${seen.pin} is pinned, but none of its agents runs${found}: change inventory.provider`;
  return { ...common, reason: 'PinnedProviderNotRunning', detail };
}

function described(found: readonly Candidate[]): string {
  return found.map(({ row, agent }) => `${row.name} by DaemonSet ${agent.name}`).join(' and ');
}
