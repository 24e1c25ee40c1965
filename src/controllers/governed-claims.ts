/** The volumes that a profile's workloads have left, or use: claims with the label of the profile. */
import { PROFILE_LABEL } from '../api/meta.ts';
import type { KubeObject } from '../kube/types.ts';

export function profileLabelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[PROFILE_LABEL];
}

export function claimsOf(profile: string, claims: readonly KubeObject[]): KubeObject[] {
  return claims.filter((claim) => profileLabelOf(claim) === profile);
}
