/** Every kind of the API, for those who handle all of them: CRD generation, RBAC, the schema tests. */
import { CapabilityReport } from './capability-report.ts';
import { EgressPolicy } from './egress-policy.ts';
import type { AnyKind } from './kind.ts';
import { RuntimeProfile } from './runtime-profile.ts';

export const KINDS: readonly AnyKind[] = [
  RuntimeProfile,
  EgressPolicy,
  CapabilityReport,
] as unknown as readonly AnyKind[];
