/** Facts of a cluster that nobody has looked at: those that the inventory would publish if it were healthy. Pure. */
import type { ProviderName } from '../api/capability.ts';
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { healthySeen } from '../compile/healthy.ts';
import { isRefused, type ProviderRow } from '../compile/providers/row.ts';
import { PROVIDERS } from '../compile/providers.ts';
import { parseVersion } from '../compile/version.ts';
import { type ReportSettings, reportOf } from '../inventory/report.ts';
import { didYouMean } from '../text/nearest.ts';

export interface HealthyCluster {
  /** As typed: `cilium@1.20.2`, `networkpolicy`, `none`. */
  readonly provider: string;
  readonly settings: ReportSettings;
  readonly apiServerAddresses: readonly string[];
  readonly now: Date;
}

export type HealthyReport =
  | { readonly ok: true; readonly report: CapabilityReportStatus }
  | { readonly ok: false; readonly message: string };

const NONE = 'none';

/** Every provider that can be named, as it can be typed. */
export function providerChoices(): readonly string[] {
  return [
    ...PROVIDERS.map((row) => `${shortName(row.name)}${provenVersion(row) === undefined ? '' : '[@VERSION]'}`),
    NONE,
  ];
}

export function healthyReport(cluster: HealthyCluster): HealthyReport {
  const [name = '', version] = cluster.provider.toLowerCase().split('@');
  const row = PROVIDERS.find((item) => item.name === name || shortName(item.name) === name);
  if (row === undefined && name !== NONE) return { ok: false, message: unknownProvider(name) };
  const problem = versionProblem(name, row, version);
  if (problem !== undefined) return { ok: false, message: problem };
  const { settings, apiServerAddresses, now } = cluster;
  const resolverLabels = Object.keys(settings.dns.podLabels);
  const seen = { ...healthySeen(row?.name ?? NONE, version), apiServerAddresses, resolverLabels };
  return { ok: true, report: reportOf({ seen, settings, kubernetesVersion: 'unknown', now }) };
}

function shortName(name: ProviderName): string {
  return name.replace(/^k8s-/, '');
}

/** The version that counts when none is given. Undefined: nothing depends on it. */
function provenVersion(row: ProviderRow | undefined): string | undefined {
  return row === undefined || isRefused(row) ? undefined : row.versions?.proven;
}

function unknownProvider(name: string): string {
  const names = [...PROVIDERS.map((row) => shortName(row.name)), NONE];
  return `there is no provider "${name}"${didYouMean(name, names)} (${providerChoices().join(', ')})`;
}

function versionProblem(name: string, row: ProviderRow | undefined, version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  const proven = provenVersion(row);
  if (proven === undefined) return `${name} has no version that matters here: leave out @${version}`;
  if (parseVersion(version) !== undefined) return undefined;
  return `"${version}" is not a version of three numbers, such as ${name}@${proven}`;
}
