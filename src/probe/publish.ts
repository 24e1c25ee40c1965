/** Reads the CapabilityReport, and writes into its status what the probe has shown: the fields of the probe, and no others. */
import { CapabilityReport, type CapabilityReportStatus } from '../api/capability-report.ts';
import { CAPABILITY_REPORTS } from '../controllers/resources.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError } from '../kube/errors.ts';
import { PROBE_MANAGER } from './lab.ts';
import type { ProbeStatus } from './results.ts';

export interface ReportRef {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined when there is none, or none that says anything. */
export async function readReport(
  client: Pick<Client, 'get'>,
  ref: ReportRef,
  signal: AbortSignal,
): Promise<CapabilityReportStatus | undefined> {
  try {
    const { status } = await client.get(CAPABILITY_REPORTS, ref, { signal });
    const parsed = CapabilityReport.status.safeParse(status);
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The inventory writes the same status under another name: neither touches what the other wrote. */
export async function publishResults(
  client: Pick<Client, 'apply'>,
  { namespace, name }: ReportRef,
  { status, signal }: { readonly status: ProbeStatus; readonly signal: AbortSignal },
): Promise<void> {
  await client.apply(
    CAPABILITY_REPORTS,
    { apiVersion: CapabilityReport.apiVersion, kind: CapabilityReport.kind, metadata: { name, namespace }, status },
    { fieldManager: PROBE_MANAGER, force: true, subresource: 'status', signal },
  );
}
