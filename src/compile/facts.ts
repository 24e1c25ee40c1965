/** What compilation knows of the cluster, taken from a CapabilityReport. The clock stays outside: staleness is an input. */
import type { Capability, CapabilityState, ProviderName } from '../api/capability.ts';
import type { CapabilityReportStatus } from '../api/capability-report.ts';

export interface ResolverFacts {
  readonly namespace: string;
  readonly podLabels: Readonly<Record<string, string>>;
}

export interface KnownFacts {
  readonly state: 'Known';
  readonly provider: { readonly name: ProviderName; readonly version?: string; readonly detail?: string };
  readonly capabilityHash: string;
  readonly capabilities: ReadonlyMap<Capability, { readonly state: CapabilityState; readonly reason: string }>;
  readonly dns?: ResolverFacts;
  readonly apiServerAddresses: readonly string[];
}

export type Facts =
  | KnownFacts
  /** No report, or one that says nothing. */
  | { readonly state: 'Missing' }
  /** A report older than the limit: what it says may no longer be so. */
  | { readonly state: 'Stale'; readonly observedAt: string };

/** Reads a report. `isFresh` is the caller's judgement of `observedAt`. */
export function factsOf(report: CapabilityReportStatus | undefined, isFresh: (observedAt: string) => boolean): Facts {
  if (report?.observedAt === undefined || report.provider === undefined || report.capabilityHash === undefined) {
    return { state: 'Missing' };
  }
  if (!isFresh(report.observedAt)) return { state: 'Stale', observedAt: report.observedAt };
  const { name, version, detail } = report.provider;
  return {
    state: 'Known',
    provider: { name, ...(version === undefined ? {} : { version }), ...(detail === undefined ? {} : { detail }) },
    capabilityHash: report.capabilityHash,
    capabilities: new Map(
      (report.capabilities ?? []).map((item) => [item.name, { state: item.state, reason: item.reason ?? item.state }]),
    ),
    ...(report.dns === undefined ? {} : { dns: { namespace: report.dns.namespace, podLabels: report.dns.podLabels } }),
    apiServerAddresses: report.apiServer?.addresses ?? [],
  };
}
