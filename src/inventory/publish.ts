/** Writes the CapabilityReport: its status only, and the object itself when it does not exist yet. */
import { CapabilityReport, type CapabilityReportStatus } from '../api/capability-report.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Resource } from '../kube/types.ts';

export const INVENTORY_MANAGER = 'agentplane-inventory';
const RESOURCE: Resource = {
  group: CapabilityReport.group,
  version: CapabilityReport.version,
  plural: CapabilityReport.plural,
  kind: CapabilityReport.kind,
};

export interface PublishRequest {
  readonly client: Pick<Client, 'apply' | 'create'>;
  readonly namespace: string;
  readonly name: string;
  readonly status: CapabilityReportStatus;
  readonly signal: AbortSignal;
}

export async function publish(request: PublishRequest): Promise<void> {
  try {
    await applyStatus(request);
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    await createReport(request);
    await applyStatus(request);
  }
}

/** True when the two say the same, leaving aside when they were made. */
export function saysTheSame(a: CapabilityReportStatus | undefined, b: CapabilityReportStatus): boolean {
  return a !== undefined && canonicalJson({ ...a, observedAt: null }) === canonicalJson({ ...b, observedAt: null });
}

async function applyStatus({ client, namespace, name, status, signal }: PublishRequest): Promise<void> {
  await client.apply(
    RESOURCE,
    { apiVersion: CapabilityReport.apiVersion, kind: CapabilityReport.kind, metadata: { name, namespace }, status },
    // The status has one author. Whoever else wrote into it is overruled.
    { fieldManager: INVENTORY_MANAGER, force: true, subresource: 'status', signal },
  );
}

async function createReport({ client, namespace, name, signal }: PublishRequest): Promise<void> {
  try {
    await client.create(
      RESOURCE,
      { apiVersion: CapabilityReport.apiVersion, kind: CapabilityReport.kind, metadata: { name, namespace } },
      { fieldManager: INVENTORY_MANAGER, signal },
    );
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
