/** What an admission policy is about: pods, or objects that carry the template of one. The same rules are put to both. */
import type { V1NamedRuleWithOperations, V1Variable } from '@kubernetes/client-node';
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import { celString } from './rule.ts';

export interface Subject {
  /** Part of the names of its policies. */
  readonly id: 'pod' | 'template' | 'workload';
  readonly resourceRules: readonly V1NamedRuleWithOperations[];
  /** CEL over `object`: the account that the pod runs as. */
  readonly account: string;
  /** CEL over `object`: the profile that the pod's label names; empty without the label. */
  readonly label: string;
  /** CEL: the pod is new, or an update changes what it is. An update of anything else must always pass, or finalizers wedge. */
  readonly isNew: string;
  readonly variables: readonly V1Variable[];
}

/** In what way a subject holds its pod, as CEL. */
interface Shape {
  readonly spec: string;
  readonly meta: string;
}

export const profileLabelOf = (meta: string): string => `${meta}.?labels[?${celString(PROFILE_LABEL)}].orValue('')`;

/** `object` is read as `dyn`: one expression serves every version and kind, and an unknown field is an absent one. */
const POD: Shape = { spec: 'dyn(object).?spec.orValue({})', meta: 'dyn(object).?metadata.orValue({})' };
const TEMPLATE: Shape = {
  spec: 'dyn(object).?spec.?podTemplate.?spec.orValue({})',
  meta: 'dyn(object).?spec.?podTemplate.?metadata.orValue({})',
};
/** Of a CronJob, the template lies one level deeper. */
const WORKLOAD_TEMPLATE = 'dyn(object).?spec.?template.or(dyn(object).?spec.?jobTemplate.?spec.?template)';
const WORKLOAD: Shape = {
  spec: `${WORKLOAD_TEMPLATE}.?spec.orValue({})`,
  meta: `${WORKLOAD_TEMPLATE}.?metadata.orValue({})`,
};

/** `Pod name`, as the beginning of every message. */
export const WHAT: V1Variable = {
  name: 'what',
  expression:
    "request.kind.kind + ' ' + dyn(object).?metadata.?name.orValue(dyn(object).?metadata.?generateName.orValue('')) + ': '",
};

export const pods: Subject = subject('pod', POD, {
  resourceRules: [
    resources('', ['v1'], ['pods'], ['CREATE', 'UPDATE']),
    resources('', ['v1'], ['pods/ephemeralcontainers', 'pods/resize'], ['UPDATE']),
  ],
  unchanged: (shape) => shape.spec,
});

/** Served or not: rules about resources that do not exist match nothing. */
export const templates: Subject = subject('template', TEMPLATE, {
  resourceRules: [
    resources('agents.x-k8s.io', ['*'], ['sandboxes'], ['CREATE', 'UPDATE']),
    resources('extensions.agents.x-k8s.io', ['*'], ['sandboxtemplates'], ['CREATE', 'UPDATE']),
  ],
  // Of a SandboxTemplate all of it: beside the pod it says what claims may add to one. A Sandbox can be suspended, whatever it is.
  unchanged: () =>
    "(request.kind.kind == 'SandboxTemplate' ? dyn(object).?spec : dyn(object).?spec.?podTemplate).orValue({})",
});

/** The workloads that Kubernetes itself makes pods for. */
export const workloads: Subject = subject('workload', WORKLOAD, {
  resourceRules: [
    resources('apps', ['v1'], ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], ['CREATE', 'UPDATE']),
    resources('batch', ['v1'], ['jobs', 'cronjobs'], ['CREATE', 'UPDATE']),
    resources('', ['v1'], ['replicationcontrollers'], ['CREATE', 'UPDATE']),
  ],
  unchanged: () => `${WORKLOAD_TEMPLATE}.orValue({})`,
});

/** Only pods that are created: what the profile and its policies have in force is asked once, when a pod begins. */
export const newPods: Pick<Subject, 'resourceRules'> = {
  resourceRules: [resources('', ['v1'], ['pods'], ['CREATE'])],
};

export const changedPods: Pick<Subject, 'resourceRules'> = {
  resourceRules: [resources('', ['v1'], ['pods', 'pods/ephemeralcontainers', 'pods/resize'], ['UPDATE'])],
};

export function resources(
  group: string,
  apiVersions: readonly string[],
  names: readonly string[],
  operations: readonly string[],
): V1NamedRuleWithOperations {
  return {
    apiGroups: [group],
    apiVersions: [...apiVersions],
    operations: [...operations],
    resources: [...names],
    scope: '*',
  };
}

/** The same where there may be no object, as in a DELETE. */
export const WHAT_BY_REQUEST: V1Variable = {
  name: 'what',
  expression: "request.kind.kind + ' ' + request.?name.orValue('') + ': '",
};

interface SubjectOptions {
  readonly resourceRules: readonly V1NamedRuleWithOperations[];
  /** What an update may leave as it is without being judged. */
  readonly unchanged: (shape: Shape) => string;
}

function subject(id: Subject['id'], shape: Shape, { resourceRules, unchanged }: SubjectOptions): Subject {
  const now = unchanged(shape);
  return {
    id,
    resourceRules,
    // The field of old, which the API server copies for a pod, and nobody for a template.
    account:
      `[dyn(${shape.spec}.?serviceAccountName.orValue('')), dyn(${shape.spec}.?serviceAccount.orValue('')), dyn('default')]` +
      ".filter(a, type(a) == string && a != '')[0]",
    label: profileLabelOf(shape.meta),
    isNew: `request.operation != 'UPDATE' || ${now} != ${now.replaceAll('object', 'oldObject')}`,
    variables: [
      WHAT,
      { name: 'spec', expression: shape.spec },
      { name: 'meta', expression: shape.meta },
      { name: 'running', expression: list('containers', 'initContainers') },
      { name: 'containers', expression: 'variables.running + variables.spec.?ephemeralContainers.orValue([])' },
      { name: 'volumes', expression: 'variables.spec.?volumes.orValue([])' },
    ],
  };
}

function list(...fields: readonly string[]): string {
  return fields.map((field) => `variables.spec.?${field}.orValue([])`).join(' + ');
}
