/** What AgentPlane writes is changed by AgentPlane alone: its generated objects, and the status that admission trusts. */
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../src/api/meta.ts';
import { names } from '../names.ts';
import { GOVERNED_WORKLOADS } from './held.ts';
import { type AdmissionRule, celList } from './rule.ts';
import { BUNDLE_PREFIX } from './secret-rules.ts';

/** The parts of the cluster that clean up after others. */
const HOUSEKEEPERS = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

/** CEL: the user is a part of the cluster (a kubelet, an agent of the network): tenants of a namespace do not read nodes. */
export const IS_OF_THE_CLUSTER =
  "request.userInfo.groups.exists(g, g == 'system:nodes' || g == 'system:masters') || " +
  "authorizer.group('').resource('nodes').check('get').allowed()";

/** CEL: the user may grant rights in the namespace, which an editor of workloads may not. */
const MAY_GRANT =
  "authorizer.group('rbac.authorization.k8s.io').resource('rolebindings').namespace(request.namespace).check('create').allowed()";

const isHousekeeper = `request.userInfo.username in ${celList(HOUSEKEEPERS)}`;

/** CEL: the object is, or would be, one that AgentPlane manages. */
export const IS_MANAGED =
  `[dyn(object), dyn(oldObject)].exists(o, o != null && (o.?metadata.?labels[?'${MANAGED_BY_LABEL}'].orValue('') == '${MANAGED_BY}' || ` +
  `(request.resource.resource == 'configmaps' && o.?metadata.?name.orValue('').startsWith('${BUNDLE_PREFIX}'))))`;

/** CEL: the user is the given identity of one of the installs. `installs`: CEL of a list of namespaces. */
export function isIdentity(identity: string, installs: string): string {
  return `${installs}.exists(n, request.userInfo.username == 'system:serviceaccount:' + n + ':${identity}')`;
}

export function managedByUs(installs: string): AdmissionRule {
  return {
    name: 'managed',
    holds:
      `${isIdentity(names.operator, installs)} || ${isHousekeeper} || ` +
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

const ofFloor = (object: string): string => `dyn(${object}).?metadata.?name.orValue('') == '${names.floor}'`;

/** CEL: the request makes, changes or removes the floor. An update of anything but its spec enforces the same. */
export const IS_FLOOR =
  `(request.operation == 'DELETE' ? oldObject != null && ${ofFloor('oldObject')} : ${ofFloor('object')}) && ` +
  "(request.operation != 'UPDATE' || object.spec != oldObject.spec)";

/** Under the floor nothing is open, and the chart alone renders it: nobody would put it back. */
export const floorByGrantors: AdmissionRule = {
  name: 'floor',
  holds: `${isHousekeeper} || ${MAY_GRANT}`,
  message: `'it is the egress floor of the namespace, and ' + request.userInfo.username + ' may not grant rights here, so may not lift it either'`,
};

const HELD = `'${GOVERNED_WORKLOADS}'`;

/** CEL: an update takes the promise of the operator off a profile. */
export const RELEASES_PROFILE = `${HELD} in dyn(oldObject).?metadata.?finalizers.orValue([]) && !(${HELD} in dyn(object).?metadata.?finalizers.orValue([]))`;

export function releasedByUs(installs: string): AdmissionRule {
  return {
    name: 'released',
    holds: `${isIdentity(names.operator, installs)} || ${isHousekeeper} || ${MAY_GRANT}`,
    message: `'its finalizer ${GOVERNED_WORKLOADS} is taken off by the operator, once nothing is left that it governs; by hand, only by whoever may grant rights here'`,
  };
}
