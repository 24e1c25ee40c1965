/**
 * What our own identities may write, whatever RBAC somebody adds later. A fence has no exceptions by name of a Role: it lists what there
 * is to write, and refuses the rest, in every namespace and outside of them.
 */
import { GROUP, MANAGED_BY, MANAGED_BY_LABEL } from '../../src/api/meta.ts';
import { names } from '../names.ts';
import type { AdmissionRule } from './rule.ts';

const resource = 'request.resource.resource';
const group = 'request.resource.group';
const subresource = "request.?subResource.orValue('')";
const namespace = "request.?namespace.orValue('')";
/** Of a DELETE there is no object. */
const objectName = "(object == null ? request.?name.orValue('') : dyn(object).?metadata.?name.orValue(''))";

const is = (apiGroup: string, plural: string, sub = ''): string =>
  `(${group} == '${apiGroup}' && ${resource} == '${plural}' && ${subresource} == '${sub}')`;

/** Ours by label; or, where somebody took the label away, by the owner that the object still has. */
const ours =
  `[dyn(object), dyn(oldObject)].all(o, o == null || o.?metadata.?labels[?'${MANAGED_BY_LABEL}'].orValue('') == '${MANAGED_BY}' || ` +
  `o.?metadata.?ownerReferences.orValue([]).exists(r, r.apiVersion.startsWith('${GROUP}/')))`;

const sameBut = (field: string): string => `dyn(object).?${field} == dyn(oldObject).?${field}`;

/** Finalizers are all that the operator changes of a profile. */
const releases =
  `(${is(GROUP, 'runtimeprofiles')} && request.operation == 'UPDATE' && ` +
  `${['spec', 'metadata.?labels', 'metadata.?annotations', 'metadata.?ownerReferences'].map(sameBut).join(' && ')})`;

const refused = (identity: string): string =>
  `'${identity} may not ' + request.operation + ' ' + ${resource} + (${subresource} == '' ? '' : '/' + ${subresource}) + ` +
  `' in namespace "' + ${namespace} + '": this identity is fenced in, whatever RBAC grants it'`;

/** `install`: CEL of a string; `governed`: CEL of a list of namespaces. */
export function operatorFence(install: string, governed: string): AdmissionRule {
  const generated = [
    is('networking.k8s.io', 'networkpolicies'),
    is('cilium.io', 'ciliumnetworkpolicies'),
    is('', 'configmaps'),
  ].join(' || ');
  const statuses = `(${group} == '${GROUP}' && ${subresource} == 'status' && ${resource} != 'capabilityreports')`;
  const lease = `(${is('coordination.k8s.io', 'leases')} && ${objectName} == '${names.lease}')`;
  return {
    name: 'operator',
    holds:
      `(${namespace} in ${governed} && (((${generated}) && ${ours}) || ${statuses} || ${releases} || ${is('events.k8s.io', 'events')})) || ` +
      `(${namespace} == ${install} && ${lease})`,
    message: refused(names.operator),
  };
}

export function inventoryFence(install: string): AdmissionRule {
  const report = `(${is(GROUP, 'capabilityreports')} || ${is(GROUP, 'capabilityreports', 'status')})`;
  return {
    name: 'inventory',
    holds: `${namespace} == ${install} && ${report} && ${objectName} == '${names.capabilityReport}'`,
    message: refused(names.inventory),
  };
}
