/** Policies around pods: what else may be done to a governed namespace so that its pods get more than their policies say. */
import { GROUP } from '../../src/api/meta.ts';
import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import { names } from '../names.ts';
import { bindingLabels } from './identity.ts';
import { floorByGrantors, IS_FLOOR, isIdentity, RELEASES_PROFILE, releasedByUs } from './integrity.ts';
import { ciliumPolicyLeavesOut, networkPolicyLeavesOut } from './network.ts';
import { podFacts } from './pod-facts.ts';
import type { AdmissionLists, AdmissionPolicySpec } from './policy-spec.ts';
import { sandboxTemplateRules } from './sandbox-template.ts';
import { resources, WHAT_BY_REQUEST } from './subject.ts';
import { ASKS_FOR_TOKEN, tokenSecretOfListedAccounts } from './token.ts';

/** What else may be done to a governed namespace so that its pods get more than their policies say. */
export function surroundings({ installs, tokenAccounts }: AdmissionLists): readonly AdmissionPolicySpec[] {
  return [
    {
      name: 'agentplane-floor',
      resourceRules: [resources('networking.k8s.io', ['v1'], ['networkpolicies'], ['CREATE', 'UPDATE', 'DELETE'])],
      variables: [WHAT_BY_REQUEST],
      when: { 'is-floor': IS_FLOOR },
      rules: [floorByGrantors],
      alwaysDenies: true,
    },
    {
      name: 'agentplane-pod-facts',
      resourceRules: [resources('', ['v1'], ['pods/status'], ['UPDATE'])],
      rules: [podFacts],
    },
    {
      name: 'agentplane-pod-binding',
      resourceRules: [resources('', ['v1'], ['pods/binding', 'bindings'], ['CREATE'])],
      rules: [bindingLabels],
    },
    {
      name: 'agentplane-token-secrets',
      resourceRules: [resources('', ['v1'], ['secrets'], ['CREATE', 'UPDATE'])],
      when: { 'asks-for-token': ASKS_FOR_TOKEN },
      rules: [tokenSecretOfListedAccounts(tokenAccounts)],
    },
    {
      name: 'agentplane-profile-release',
      resourceRules: [resources(GROUP, ['*'], [RuntimeProfile.plural], ['UPDATE'])],
      when: { releases: RELEASES_PROFILE },
      rules: [releasedByUs(installs)],
      alwaysDenies: true,
    },
  ];
}

export function network({ installs, networkPolicyAuthors }: AdmissionLists): readonly AdmissionPolicySpec[] {
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
