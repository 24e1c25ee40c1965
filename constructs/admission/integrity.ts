/** What AgentPlane writes is changed by AgentPlane alone: its generated objects, and the status that admission trusts. */
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../src/api/meta.ts';
import { names } from '../names.ts';
import { type AdmissionRule, celList } from './rule.ts';
import { BUNDLE_PREFIX } from './secret-rules.ts';

/** The parts of the cluster that clean up after others. */
const HOUSEKEEPERS = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

const labelled = (object: string): string =>
  `dyn(${object}).?metadata.?labels[?'${MANAGED_BY_LABEL}'].orValue('') == '${MANAGED_BY}'`;

/** CEL: the object is, or would be, one that AgentPlane manages. */
export const IS_MANAGED =
  `${labelled('object')} || (request.operation == 'UPDATE' && ${labelled('oldObject')}) || ` +
  `(request.resource.resource == 'configmaps' && dyn(object).?metadata.?name.orValue('').startsWith('${BUNDLE_PREFIX}'))`;

/** CEL: the user is the given identity of one of the installs. `installs`: CEL of a list of namespaces. */
export function isIdentity(identity: string, installs: string): string {
  return `${installs}.exists(n, request.userInfo.username == 'system:serviceaccount:' + n + ':${identity}')`;
}

export function managedByUs(installs: string): AdmissionRule {
  return {
    name: 'managed',
    holds:
      `${isIdentity(names.operator, installs)} || request.userInfo.username in ${celList(HOUSEKEEPERS)} || ` +
      `authorizer.group('${EgressPolicy.group}').resource('${EgressPolicy.plural}').namespace(request.namespace).check('pause').allowed()`,
    message: `'it is, or claims to be, managed by AgentPlane (label ${MANAGED_BY_LABEL}, or a name that begins with ${BUNDLE_PREFIX}), and ' + request.userInfo.username + ' is not its operator: change the policy that it was compiled from'`,
  };
}

export function statusByUs(installs: string): AdmissionRule {
  const reporter = [names.inventory, names.probe].map((name) => isIdentity(name, installs)).join(' || ');
  return {
    name: 'status',
    holds: `request.resource.resource == 'capabilityreports' ? (${reporter}) : ${isIdentity(names.operator, installs)}`,
    message:
      "'its status is written by AgentPlane alone, since admission trusts it, and ' + request.userInfo.username + ' is none of its identities'",
  };
}
