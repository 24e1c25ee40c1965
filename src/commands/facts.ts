/** What a command takes the cluster to be able to do: from a report in a file, or from a provider by name. */
import { CapabilityReport, type CapabilityReportStatus } from '../api/capability-report.ts';
import { type Facts, factsOf } from '../compile/facts.ts';
import { healthyReport, providerChoices } from '../explain/provider.ts';
import type { KubeObject } from '../kube/types.ts';
import { InputError, type Manifest } from '../manifests/manifest.ts';
import { readManifests } from '../manifests/read.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';
import type { Io } from './io.ts';
import { surroundingsFlags, surroundingsOf } from './shared-flags.ts';

/** The provider that compiles the most. Said aloud wherever it is only assumed. */
const ASSUMED_PROVIDER = 'cilium';

export const factsFlags: readonly Flag[] = [
  {
    name: 'capabilities',
    value: 'FILE',
    description: "the cluster's CapabilityReport, as `kubectl get capabilityreport -o yaml` prints it",
    default: '',
  },
  {
    name: 'provider',
    value: 'NAME',
    description: `a healthy cluster of that provider: ${providerChoices().join(', ')}`,
    default: '',
  },
  ...surroundingsFlags,
];

/** Undefined when the flags name neither. */
export async function givenFacts(flags: FlagValues, io: Io): Promise<Facts | undefined> {
  if (flags.given('capabilities') && flags.given('provider'))
    throw new UsageError('--capabilities and --provider exclude each other: the report names the provider');
  if (flags.given('capabilities')) return knownFacts(await reportIn(flags.text('capabilities'), io));
  return flags.given('provider') ? providerFacts(flags.text('provider'), flags).facts : undefined;
}

export async function givenOrAssumedFacts(flags: FlagValues, io: Io): Promise<Facts> {
  const given = await givenFacts(flags, io);
  if (given !== undefined) return given;
  const { facts, name } = providerFacts(ASSUMED_PROVIDER, flags);
  io.note(`judged for ${name}: name your cluster's provider with --provider, or give its --capabilities`);
  return facts;
}

/** From the reports that a cluster holds. */
export function liveFacts(reports: readonly KubeObject[], io: Io): Facts {
  const [report] = reports;
  if (reports.length > 1) {
    const names = reports.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
    throw new UsageError(`there is more than one CapabilityReport (${names}): choose with --install-namespace`);
  }
  const status = CapabilityReport.status.safeParse(report?.status ?? {});
  if (!status.success) throw new Error('the CapabilityReport is not of this version: upgrade agentplane');
  if (status.data.observedAt !== undefined) io.note(`judged by the capability report of ${status.data.observedAt}`);
  return knownFacts(status.data);
}

/** How old a report is, the operator judges; a saved one is taken at its word. */
export function knownFacts(report: CapabilityReportStatus): Facts {
  return factsOf(report, () => true);
}

function providerFacts(provider: string, flags: FlagValues): { readonly facts: Facts; readonly name: string } {
  const { apiServerAddresses, ...settings } = surroundingsOf(flags);
  const healthy = healthyReport({ provider, settings, apiServerAddresses, now: new Date(0) });
  if (!healthy.ok) throw new UsageError(`--provider: ${healthy.message}`);
  const { name = provider, version } = healthy.report.provider ?? {};
  return { facts: knownFacts(healthy.report), name: version === undefined ? name : `${name} ${version}` };
}

async function reportIn(file: string, io: Io): Promise<CapabilityReportStatus> {
  const manifests = await readManifests([file], { stdin: io.stdin, defaultNamespace: '' });
  const reports = manifests.filter(({ object }) => object.kind === CapabilityReport.kind);
  const [report] = reports;
  if (report === undefined || reports.length > 1) {
    const message = `holds ${reports.length} objects of kind ${CapabilityReport.kind}, and must hold one`;
    throw new InputError([{ file, message }]);
  }
  return statusOf(report);
}

function statusOf({ object, source }: Manifest): CapabilityReportStatus {
  const status = CapabilityReport.status.safeParse(object.status);
  const at = { file: source.file, line: source.line(['status']) };
  if (!status.success) {
    throw new InputError(
      status.error.issues.map(({ path, message }) => ({ ...at, message: `status.${path.join('.')}: ${message}` })),
    );
  }
  if (status.data.observedAt !== undefined) return status.data;
  throw new InputError([{ ...at, message: 'the report says nothing yet: status.observedAt is missing' }]);
}
