/** An admission policy as data, and what a platform admin decides for all of them. */
import type { AdmissionPolicyProps } from './admission-policy.ts';

/** What a platform admin decides for all governed namespaces, as CEL lists. */
export interface AdmissionLists {
  /** Namespaces of the installs. */
  readonly installs: string;
  readonly tokenAccounts: string;
  readonly podControllers: string;
  readonly networkPolicyAuthors: string;
  readonly imagePullSecrets: string;
}

export interface AdmissionPolicySpec extends Omit<AdmissionPolicyProps, 'labels'> {
  readonly withoutParams?: 'Allow' | 'Deny';
  /** Whatever `enforcement` says: what a roll-out observes must not be forged meanwhile. */
  readonly alwaysDenies?: boolean;
  /** It holds in the namespace of the release as well, where the report is that decides what can be compiled. */
  readonly inInstall?: boolean;
}
