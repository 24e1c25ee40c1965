import { isRecord, type KubeObject, type Resource } from './types.ts';

export const LEASES: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };

/** The fields of a Lease that election uses. Times in it are written for people and never compared: they are another machine's clock. */
export interface LeaseRecord {
  /** Empty when nobody holds the lease. */
  readonly holder: string;
  readonly durationSeconds: number | undefined;
  readonly transitions: number;
  readonly acquireTime: string | undefined;
  /** Changes with every renewal; the sign of life that candidates watch. */
  readonly resourceVersion: string | undefined;
}

export function readLease(lease: KubeObject): LeaseRecord {
  const spec = isRecord(lease.spec) ? lease.spec : {};
  return {
    holder: typeof spec.holderIdentity === 'string' ? spec.holderIdentity : '',
    durationSeconds: positiveInteger(spec.leaseDurationSeconds),
    transitions: positiveInteger(spec.leaseTransitions) ?? 0,
    acquireTime: typeof spec.acquireTime === 'string' ? spec.acquireTime : undefined,
    resourceVersion: lease.metadata.resourceVersion,
  };
}

/** `metav1.MicroTime`: six fractional digits, or the server refuses it. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
