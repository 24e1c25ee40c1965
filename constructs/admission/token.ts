/** Tokens of ServiceAccounts: none is mounted unless the platform admin lists the account, and its profile allows it. */
import type { AdmissionRule } from './rule.ts';
import type { Subject } from './subject.ts';

/** CEL over `variables.volumes`: an identity is mounted. The API server adds the volume for a pod that does not decline it. */
const MOUNTED =
  'variables.volumes.exists(v, v.?projected.?sources.orValue([]).exists(s, ' +
  "['serviceAccountToken', 'podCertificate'].exists(k, k in s)))";

/** A template is seen before the API server adds the volume. A SandboxTemplate declines by itself when it says nothing. */
const ASKED_BY_TEMPLATE =
  "variables.spec.?automountServiceAccountToken.orValue(request.kind.kind != 'SandboxTemplate') == true";

const WAY_OUT = 'set automountServiceAccountToken to false, and mount no token';

/** CEL: the pod gets a token. */
export function getsToken({ id }: Subject): string {
  return id === 'pod' ? MOUNTED : `(${ASKED_BY_TEMPLATE} || ${MOUNTED})`;
}

/** `accounts`: CEL of a list of `namespace/account`. */
export function tokenOfListedAccounts(subject: Subject, accounts: string): AdmissionRule {
  return {
    name: 'token',
    holds: `!${getsToken(subject)} || (request.namespace + '/' + ${subject.account}) in ${accounts}`,
    message: `'no token of a ServiceAccount may be mounted here: ${WAY_OUT}, or have the platform admin list ' + request.namespace + '/' + ${subject.account} + ' in tokenAccounts'`,
  };
}

export function tokenOfProfile(subject: Subject): AdmissionRule {
  return {
    name: 'token',
    holds: `params.spec.pod.serviceAccountToken == 'Allowed' || !${getsToken(subject)}`,
    message: `'spec.pod.serviceAccountToken is Denied: ${WAY_OUT}'`,
  };
}

const accountOf = (secret: string): string =>
  `${secret}.metadata.?annotations[?'kubernetes.io/service-account.name'].orValue('')`;

/** CEL: a Secret that is filled with a token that never ends, new or from now on for another account. Its type cannot change. */
export const ASKS_FOR_TOKEN =
  "object.?type.orValue('') == 'kubernetes.io/service-account-token' && " +
  `(request.operation == 'CREATE' || ${accountOf('object')} != ${accountOf('oldObject')})`;

export function tokenSecretOfListedAccounts(accounts: string): AdmissionRule {
  const account = accountOf('object');
  return {
    name: 'token-secret',
    holds: `(request.namespace + '/' + ${account}) in ${accounts}`,
    message: `'it would be filled with a token of a ServiceAccount: have the platform admin list ' + request.namespace + '/' + ${account} + ' in tokenAccounts'`,
  };
}
