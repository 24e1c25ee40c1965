/** Dangerous requests, each with a twin that differs in that one thing and passes. The evidence of docs/security/admission-evidence.md. */
import type { DangerousRequest } from './dangerous.ts';
import { FENCE_REQUESTS, OBJECT_REQUESTS } from './requests-objects.ts';
import { POD_REQUESTS } from './requests-pods.ts';
import { UPDATE_REQUESTS } from './requests-updates.ts';

export const DANGEROUS_REQUESTS: readonly DangerousRequest[] = [
  ...POD_REQUESTS,
  ...UPDATE_REQUESTS,
  ...OBJECT_REQUESTS,
  ...FENCE_REQUESTS,
];
