/** What the operator asked the API server for, since a mark in its audit log. */
import {
  type AuditEntry,
  type AuditMark,
  auditBetween,
  auditCounts,
  auditMark,
  auditMatching,
} from '../../support/auditLog.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { OPERATOR_USER } from '../support/governed-site.ts';

export const mark = (): Promise<AuditMark> => auditMark(controlPlaneOfWorker());

/** Completed requests of the operator, but for its Lease and its Events. */
export async function requestsSince(from: AuditMark): Promise<readonly AuditEntry[]> {
  const entries = await auditBetween(controlPlaneOfWorker(), from, await mark());
  return auditMatching(entries, { user: OPERATOR_USER }).filter(
    ({ objectRef }) => objectRef?.resource !== 'leases' && objectRef?.resource !== 'events',
  );
}

/** `list group/resource` and how often, of those that were answered. */
export function listsOf(requests: readonly AuditEntry[]): Readonly<Record<string, number>> {
  return auditCounts(requests.filter(({ verb, responseStatus }) => verb === 'list' && responseStatus?.code === 200));
}
