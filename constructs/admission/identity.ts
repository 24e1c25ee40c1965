/** The label `agentplane.dev/profile` is on a pod exactly when its account has that profile, and never changes. */
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import type { AdmissionRule } from './rule.ts';
import { profileLabelOf, type Subject } from './subject.ts';

export function isOfProfile({ account }: Subject): string {
  return `${account} == params.spec.serviceAccountName`;
}

export function isLabelledWithProfile({ label }: Subject): string {
  return `${label} == params.metadata.name`;
}

export function labelFollowsAccount(subject: Subject): AdmissionRule {
  return {
    name: 'label',
    holds: `(${isOfProfile(subject)}) == (${isLabelledWithProfile(subject)})`,
    message:
      `(${isOfProfile(subject)}) ? 'ServiceAccount ' + params.spec.serviceAccountName + ' is governed: set the label ${PROFILE_LABEL} to ' + params.metadata.name : ` +
      `'label ${PROFILE_LABEL} is ' + params.metadata.name + ', whose account is ' + params.spec.serviceAccountName + ', and not ' + ${subject.account} + ': remove it'`,
  };
}

const of = (object: string): string => profileLabelOf(`dyn(${object}).?metadata.orValue({})`);

/** On every way to change a pod: a PATCH of its status changes labels as well. */
const labelsOf = (object: string): string => `dyn(${object}).?metadata.?labels.orValue({})`;

/** The network provider derives identities from labels with this prefix; new pods have none of their own making. */
export const providerLabelsStay: AdmissionRule = {
  name: 'provider-labels',
  holds: `${labelsOf('object')}.all(k, !k.startsWith('io.cilium.') || ${labelsOf('oldObject')}[?k].orValue('') == ${labelsOf('object')}[k])`,
  message:
    "'no label that begins with io.cilium. may be set: the network provider derives identities from such labels'",
};

export const labelIsImmutable: AdmissionRule = {
  name: 'label-immutable',
  holds: `${of('object')} == ${of('oldObject')}`,
  message: `'label ${PROFILE_LABEL} is immutable: it was "' + ${of('oldObject')} + '", and would be "' + ${of('object')} + '"'`,
};

/** A binding to a node carries labels into the pod. */
export const bindingLabels: AdmissionRule = {
  name: 'binding-labels',
  holds: `${labelsOf('object')}.all(k, k != '${PROFILE_LABEL}' && !k.startsWith('io.cilium.'))`,
  message: `'a binding may carry neither the label ${PROFILE_LABEL} nor one that begins with io.cilium. into a pod'`,
};
