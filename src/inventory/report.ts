/** From what was seen to the status of the CapabilityReport. Pure; the clock is passed in. */
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { digest } from '../compile/canonical.ts';
import { assess } from '../compile/capabilities.ts';
import { NODE_LOCAL_DNS, PROVIDERS } from '../compile/providers.ts';
import type { Seen } from '../compile/seen.ts';
import type { RuntimeClasses } from './runtime-classes.ts';

export interface ReportSettings {
  readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
  readonly apiServerPort: number;
}

export interface ReportRequest {
  readonly seen: Seen;
  /** Left out of the report when nothing was looked for. */
  readonly runtimeClasses?: RuntimeClasses;
  readonly settings: ReportSettings;
  /** `major.minor` of the API server. */
  readonly kubernetesVersion: string;
  readonly now: Date;
}

export function reportOf({
  seen,
  runtimeClasses = [],
  settings,
  kubernetesVersion,
  now,
}: ReportRequest): CapabilityReportStatus {
  const { provider, version, detail, agents, capabilities, nodeLocalDns } = assess(seen);
  const facts = {
    capabilities: capabilities.map(({ name, state, reason }) => ({ name, state, reason })),
    dns: {
      namespace: settings.dns.namespace,
      podLabels: settings.dns.podLabels,
      ...(nodeLocalDns ? { nodeLocal: NODE_LOCAL_DNS } : {}),
    },
    ...(seen.apiServerAddresses.length === 0
      ? {}
      : { apiServer: { addresses: [...seen.apiServerAddresses].sort(), port: settings.apiServerPort } }),
  };
  const identity = { name: provider, ...(version === undefined ? {} : { version }) };
  return {
    observedAt: timestamp(now),
    kubernetesVersion,
    capabilityHash: digest({ identity, facts }),
    provider: { ...identity, configHash: configHash(seen), detail, ...(agents === undefined ? {} : { agents }) },
    ...facts,
    // Compilation does not depend on them: they are no part of the hash.
    ...(runtimeClasses.length === 0 ? {} : { runtimeClasses }),
  };
}

/** RFC 3339 in whole seconds, as the API server writes `metav1.Time`. */
export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.[0-9]{3}Z$/, 'Z');
}

/** Over the settings that were judged only: what else is in a ConfigMap is none of our business. */
function configHash(seen: Seen): string {
  return digest(
    PROVIDERS.flatMap(({ configMap, switches }) => {
      const data = configMap === undefined ? undefined : seen.configMaps[configMap];
      return data === undefined ? [] : [[configMap, switches.map(({ key }) => [key, data[key] ?? null])]];
    }),
  );
}
