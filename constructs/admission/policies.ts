/** Every admission policy of the chart, as data: what it is about, when it is asked, and its rules. */
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { KINDS } from '../../src/api/kinds.ts';
import { GROUP } from '../../src/api/meta.ts';
import { PolicyBundle } from '../../src/api/policy-bundle.ts';
import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import { SecretBinding } from '../../src/api/secret-binding.ts';
import { names } from '../names.ts';
import type { AdmissionPolicyProps } from './admission-policy.ts';
import { BINDING_CHANGES, mayPause, mayReadSecret, mayUseProfile, PAUSE_CHANGES } from './author.ts';
import { baselineRules } from './baseline.ts';
import { rightsLast } from './held.ts';
import { isLabelledWithProfile, isOfProfile, labelFollowsAccount, labelIsImmutable } from './identity.ts';
import { active, profileInForce } from './in-force.ts';
import { IS_MANAGED, isIdentity, managedByUs, statusByUs } from './integrity.ts';
import { ciliumPolicyLeavesOut, networkPolicyLeavesOut } from './network.ts';
import { profileRules } from './profile-rules.ts';
import { sandboxTemplateRules } from './sandbox-template.ts';
import { bundleRule, secretRules } from './secret-rules.ts';
import { newPods, pods, resources, type Subject, templates, WHAT_BY_REQUEST, workloads } from './subject.ts';
import { tokenOfListedAccounts } from './token.ts';

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
}

const BY_PROFILE = "'RuntimeProfile ' + params.metadata.name + ': '";
const PROFILE_PARAMS = { params: RuntimeProfile, by: BY_PROFILE } as const;

export function admissionPolicies(lists: AdmissionLists): readonly AdmissionPolicySpec[] {
  return [
    ...[pods, templates].flatMap((subject) => shapeOf(subject, lists)),
    ...[pods, templates, workloads].map((subject) => useOf(subject, lists)),
    ...inForce(),
    ...integrity(lists),
    ...authors(),
    ...network(lists),
  ];
}

/** What a pod may be: in every governed namespace, and by its profile. */
function shapeOf(subject: Subject, lists: AdmissionLists): readonly AdmissionPolicySpec[] {
  const { id, resourceRules, variables, isNew } = subject;
  const about = { resourceRules, variables } as const;
  return [
    {
      name: `agentplane-${id}-baseline`,
      ...about,
      when: { 'is-new': isNew },
      rules: [...baselineRules, tokenOfListedAccounts(subject, lists.tokenAccounts)],
    },
    {
      name: `agentplane-${id}-profile`,
      ...about,
      ...PROFILE_PARAMS,
      when: { 'of-profile': isOfProfile(subject), 'is-new': isNew },
      rules: [...profileRules(subject), ...secretRules(lists.imagePullSecrets), bundleRule],
      withoutParams: 'Allow',
    },
    {
      name: `agentplane-${id}-label`,
      ...about,
      ...PROFILE_PARAMS,
      when: { 'is-new': isNew, concerned: `${isOfProfile(subject)} || ${isLabelledWithProfile(subject)}` },
      rules: [labelFollowsAccount(subject)],
      withoutParams: 'Allow',
    },
  ];
}

function useOf(subject: Subject, lists: AdmissionLists): AdmissionPolicySpec {
  const byController =
    subject.id === 'pod' ? { 'by-author': `!(request.userInfo.username in ${lists.podControllers})` } : {};
  return {
    name: `agentplane-${subject.id}-use`,
    resourceRules: subject.id === 'pod' ? newPods.resourceRules : subject.resourceRules,
    ...PROFILE_PARAMS,
    when: { 'of-profile': isOfProfile(subject), 'is-new': subject.isNew, ...byController },
    rules: [mayUseProfile],
    withoutParams: 'Allow',
  };
}

/** What the profile, and each policy of it, has in force when a pod begins. */
function inForce(): readonly AdmissionPolicySpec[] {
  const ofLabel = `${pods.label} == params.spec.profileRef.name`;
  const asked = (name: string, params: { readonly apiVersion: string; readonly kind: string }) =>
    ({
      name,
      resourceRules: newPods.resourceRules,
      params,
      when: { 'of-profile': ofLabel },
      withoutParams: 'Allow',
    }) as const;
  return [
    {
      name: 'agentplane-pod-admitted',
      resourceRules: newPods.resourceRules,
      ...PROFILE_PARAMS,
      when: { 'of-profile': isOfProfile(pods) },
      rules: profileInForce,
      // A governed namespace without a profile runs nothing yet.
      withoutParams: 'Deny',
    },
    { ...asked('agentplane-pod-egress', EgressPolicy), rules: [active(EgressPolicy.kind)] },
    { ...asked('agentplane-pod-secrets', SecretBinding), rules: [active(SecretBinding.kind)] },
    { ...asked('agentplane-pod-tools', PolicyBundle), rules: [active(PolicyBundle.kind)] },
  ];
}

function integrity({ installs }: AdmissionLists): readonly AdmissionPolicySpec[] {
  const statuses = KINDS.map(({ plural }) => `${plural}/status`);
  return [
    {
      name: 'agentplane-pod-label-immutable',
      resourceRules: [
        resources('', ['v1'], ['pods', 'pods/status', 'pods/ephemeralcontainers', 'pods/resize'], ['UPDATE']),
      ],
      rules: [labelIsImmutable],
    },
    {
      name: 'agentplane-managed-objects',
      resourceRules: [resources('*', ['*'], ['*'], ['CREATE', 'UPDATE'])],
      when: { 'is-managed': IS_MANAGED },
      rules: [managedByUs(installs)],
    },
    {
      name: 'agentplane-status',
      resourceRules: [resources(GROUP, ['*'], statuses, ['UPDATE'])],
      rules: [statusByUs(installs)],
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

function network({ installs, networkPolicyAuthors }: AdmissionLists): readonly AdmissionPolicySpec[] {
  const written = ['CREATE', 'UPDATE'];
  const byOthers = {
    'by-others': `!(${isIdentity(names.operator, installs)}) && !(request.userInfo.username in ${networkPolicyAuthors})`,
    changes:
      "request.operation == 'CREATE' || dyn(object).?spec != dyn(oldObject).?spec || dyn(object).?specs != dyn(oldObject).?specs",
  };
  return [
    {
      name: 'agentplane-network-policies',
      resourceRules: [resources('networking.k8s.io', ['v1'], ['networkpolicies'], written)],
      when: byOthers,
      rules: [networkPolicyLeavesOut],
    },
    {
      name: 'agentplane-cilium-policies',
      resourceRules: [resources('cilium.io', ['*'], ['ciliumnetworkpolicies'], written)],
      when: byOthers,
      rules: [ciliumPolicyLeavesOut],
    },
    {
      name: 'agentplane-sandbox-templates',
      resourceRules: [resources('extensions.agents.x-k8s.io', ['*'], ['sandboxtemplates'], written)],
      when: {
        changes: "request.operation == 'CREATE' || dyn(object).?spec != dyn(oldObject).?spec",
      },
      rules: sandboxTemplateRules,
    },
  ];
}
