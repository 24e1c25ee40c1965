/** Every admission policy of the chart, as data: what it is about, when it is asked, and its rules. */
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { KINDS } from '../../src/api/kinds.ts';
import { GROUP } from '../../src/api/meta.ts';
import { PolicyBundle } from '../../src/api/policy-bundle.ts';
import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import { SecretBinding } from '../../src/api/secret-binding.ts';
import { names } from '../names.ts';
import { BINDING_CHANGES, mayPause, mayReadSecret, mayUseProfile, PAUSE_CHANGES } from './author.ts';
import { baselineRules } from './baseline.ts';
import { rightsLast } from './held.ts';
import {
  isLabelledWithProfile,
  isOfProfile,
  labelFollowsAccount,
  labelIsImmutable,
  providerLabelsStay,
} from './identity.ts';
import { active, profileInForce } from './in-force.ts';
import { IS_MANAGED, managedByUs, statusByUs } from './integrity.ts';
import { agentAnnotations } from './pod-facts.ts';
import { network, surroundings } from './policies-around.ts';
import type { AdmissionLists, AdmissionPolicySpec } from './policy-spec.ts';
import { profileRules } from './profile-rules.ts';
import type { AdmissionRule } from './rule.ts';
import { bundleEnvRule, bundleRule, secretRules } from './secret-rules.ts';
import {
  changedPods,
  newPods,
  pods,
  resources,
  type Subject,
  templates,
  WHAT_BY_REQUEST,
  workloads,
} from './subject.ts';
import { tokenOfListedAccounts } from './token.ts';

const BY_PROFILE = "'RuntimeProfile ' + params.metadata.name + ': '";
const PROFILE_PARAMS = { params: RuntimeProfile, by: BY_PROFILE } as const;

export function admissionPolicies(lists: AdmissionLists): readonly AdmissionPolicySpec[] {
  return [
    ...[pods, templates].map((subject) => baselineOf(subject, lists)),
    newPodOf(lists),
    changedPodOf(lists),
    templateOf(lists),
    workloadOf(lists),
    ...inForce(),
    ...integrity(lists),
    ...authors(),
    ...surroundings(lists),
    ...network(lists),
  ];
}

/** What every pod of a governed namespace may be, profile or not. */
function baselineOf(subject: Subject, lists: AdmissionLists): AdmissionPolicySpec {
  const { id, resourceRules, variables, isNew } = subject;
  return {
    name: `agentplane-${id}-baseline`,
    resourceRules,
    variables,
    when: { 'is-new': isNew },
    rules: [
      ...baselineRules,
      ...(subject.id === 'pod' ? [agentAnnotations] : []),
      tokenOfListedAccounts(subject, lists.tokenAccounts),
    ],
  };
}

/** What a profile demands of the shape of its pods. */
function shapeOf(subject: Subject, { imagePullSecrets }: AdmissionLists): readonly AdmissionRule[] {
  return [...profileRules(subject), ...secretRules(imagePullSecrets), bundleRule, bundleEnvRule];
}

/**
 * An API server evaluates a policy once for each of its parameters, and that costs the same however soon it finds itself not concerned.
 * So everything that a profile has to say of a new pod is one policy: 200 profiles are 200 evaluations.
 */
function newPodOf(lists: AdmissionLists): AdmissionPolicySpec {
  return {
    name: 'agentplane-pod-profile',
    resourceRules: newPods.resourceRules,
    variables: pods.variables,
    ...PROFILE_PARAMS,
    when: { concerned: concerns(pods), accepted: IS_ACCEPTED },
    rules: [labelFollowsAccount(pods), ...profileInForce, mayUseProfile(lists.podControllers), ...shapeOf(pods, lists)],
    // A governed namespace without a profile runs nothing yet.
    withoutParams: 'Deny',
  };
}

/** A pod that changes keeps to its profile; its label cannot change. Without a profile it must still be able to end. */
function changedPodOf(lists: AdmissionLists): AdmissionPolicySpec {
  return {
    name: 'agentplane-pod-profile-update',
    resourceRules: changedPods.resourceRules,
    variables: pods.variables,
    ...PROFILE_PARAMS,
    when: { 'of-profile': isOfProfile(pods), 'is-new': pods.isNew },
    rules: [mayUseProfile(lists.podControllers), ...shapeOf(pods, lists)],
    withoutParams: 'Allow',
  };
}

function templateOf(lists: AdmissionLists): AdmissionPolicySpec {
  return {
    name: 'agentplane-template-profile',
    resourceRules: templates.resourceRules,
    variables: templates.variables,
    ...PROFILE_PARAMS,
    when: { concerned: concerns(templates), accepted: IS_ACCEPTED, 'is-new': templates.isNew },
    rules: [labelFollowsAccount(templates), mayUseProfile(lists.podControllers), ...shapeOf(templates, lists)],
    withoutParams: 'Allow',
  };
}

/**
 * Their pods are made by controllers of the cluster: who may use the profile is asked of whoever writes the workload. What a listed
 * controller makes of it on the way to a pod, such as the ReplicaSet of a Deployment, is made for that author.
 */
function workloadOf({ podControllers }: AdmissionLists): AdmissionPolicySpec {
  return {
    name: 'agentplane-workload-use',
    resourceRules: workloads.resourceRules,
    ...PROFILE_PARAMS,
    when: { 'of-profile': isOfProfile(workloads), 'is-new': workloads.isNew },
    rules: [mayUseProfile(podControllers)],
    withoutParams: 'Allow',
  };
}

/** A profile that another one of the same account keeps from being accepted says nothing of its pods. */
const IS_ACCEPTED =
  "!params.?status.?conditions.orValue([]).exists(c, c.type == 'Accepted' && c.status == 'False' && c.reason == 'SubjectConflict' && " +
  "c.observedGeneration == params.metadata.generation && c.message.startsWith('ServiceAccount '))";

function concerns(subject: Subject): string {
  return `${isOfProfile(subject)} || ${isLabelledWithProfile(subject)}`;
}

/** What each policy of the profile has in force when a pod begins. */
function inForce(): readonly AdmissionPolicySpec[] {
  const kinds = [
    { name: 'agentplane-pod-egress', kind: EgressPolicy },
    { name: 'agentplane-pod-secrets', kind: SecretBinding },
    { name: 'agentplane-pod-tools', kind: PolicyBundle },
  ];
  return kinds.map(({ name, kind }) => ({
    name,
    resourceRules: newPods.resourceRules,
    params: kind,
    when: { 'of-profile': `${pods.label} == params.spec.profileRef.name` },
    rules: [active(kind.kind)],
    withoutParams: 'Allow',
  }));
}

function integrity({ installs }: AdmissionLists): readonly AdmissionPolicySpec[] {
  const statuses = KINDS.map(({ plural }) => `${plural}/status`);
  return [
    {
      name: 'agentplane-pod-label-immutable',
      resourceRules: [
        resources('', ['v1'], ['pods', 'pods/status', 'pods/ephemeralcontainers', 'pods/resize'], ['UPDATE']),
      ],
      rules: [labelIsImmutable, providerLabelsStay, agentAnnotations],
    },
    {
      name: 'agentplane-managed-objects',
      resourceRules: [resources('*', ['*'], ['*'], ['CREATE', 'UPDATE', 'DELETE'])],
      variables: [WHAT_BY_REQUEST],
      when: { 'is-managed': IS_MANAGED },
      rules: [managedByUs(installs)],
      alwaysDenies: true,
    },
    {
      name: 'agentplane-status',
      resourceRules: [resources(GROUP, ['*'], statuses, ['UPDATE'])],
      rules: [statusByUs(installs)],
      inInstall: true,
      alwaysDenies: true,
    },
    {
      name: 'agentplane-rights-last',
      resourceRules: [resources('rbac.authorization.k8s.io', ['*'], ['roles', 'rolebindings'], ['DELETE'])],
      variables: [WHAT_BY_REQUEST],
      params: RuntimeProfile,
      when: {
        // Of a whole collection that is deleted there is neither name nor object; each of its items is asked about after that.
        'of-operator': `oldObject != null && dyn(oldObject).?metadata.?name.orValue('') == '${names.operator}'`,
        'by-namespace-controller':
          "request.userInfo.username in ['system:serviceaccount:kube-system:namespace-controller', 'system:kube-controller-manager']",
      },
      rules: [rightsLast],
      alwaysDenies: true,
      withoutParams: 'Allow',
    },
  ];
}

function authors(): readonly AdmissionPolicySpec[] {
  const written = ['CREATE', 'UPDATE'];
  return [
    {
      name: 'agentplane-pause',
      resourceRules: [resources(GROUP, ['*'], [EgressPolicy.plural], written)],
      when: { 'pause-changes': PAUSE_CHANGES },
      rules: [mayPause],
    },
    {
      name: 'agentplane-binding-author',
      resourceRules: [resources(GROUP, ['*'], [SecretBinding.plural], written)],
      when: { 'binding-changes': BINDING_CHANGES },
      rules: [mayReadSecret],
    },
  ];
}
