/** Every kind of the API, for those who handle all of them: CRD generation, RBAC, the schema tests. */
import { CapabilityReport } from './capability-report.ts';
import { EgressPolicy } from './egress-policy.ts';
import type { AnyKind } from './kind.ts';
import { PolicyBundle } from './policy-bundle.ts';
import { RuntimeProfile } from './runtime-profile.ts';
import { SecretBinding } from './secret-binding.ts';

export const KINDS: readonly AnyKind[] = [
  RuntimeProfile,
  EgressPolicy,
  SecretBinding,
  PolicyBundle,
  CapabilityReport,
] as unknown as readonly AnyKind[];
