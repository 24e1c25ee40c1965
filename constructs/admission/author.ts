/** What the author of an object has to be allowed to do himself: RBAC decides, with the verbs `use` and `pause`, and `get` on a Secret. */
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import type { AdmissionRule } from './rule.ts';

const may = (group: string, resource: string, name: string, verb: string): string =>
  `authorizer.group('${group}').resource('${resource}').namespace(request.namespace).name(${name}).check('${verb}').allowed()`;

const user = 'request.userInfo.username';

/** Whoever makes a pod of a profile, or an object that will. `podControllers`: CEL of a list of users who make such objects for others. */
export function mayUseProfile(podControllers: string): AdmissionRule {
  return {
    name: 'use',
    holds: `${user} in ${podControllers} || ${may(RuntimeProfile.group, RuntimeProfile.plural, 'params.metadata.name', 'use')}`,
    message:
      `${user} + ' may not use it: grant the verb "use" on it (runtimeprofiles.agentplane.dev), or choose another ServiceAccount. ` +
      "A controller that makes pods for others is listed in podControllers of the chart agentplane-cluster'",
  };
}

/** A pause lets others change what enforces: more than writing the policy. */
export const mayPause: AdmissionRule = {
  name: 'pause',
  holds: may(EgressPolicy.group, EgressPolicy.plural, "dyn(object).?metadata.?name.orValue('')", 'pause'),
  message: `${user} + ' may not pause it: grant the verb "pause" on it (egresspolicies.agentplane.dev), or leave spec.pause as it is'`,
};

/** A binding hands out what its author can read himself. */
export const mayReadSecret: AdmissionRule = {
  name: 'secret',
  holds: may('', 'secrets', 'object.spec.secretRef.name', 'get'),
  message: `${user} + ' may not read Secret ' + object.spec.secretRef.name + ', and so may not bind it'`,
};

/** CEL: the request changes when and why a policy is paused. */
export const PAUSE_CHANGES =
  "has(object.spec.pause) && (request.operation == 'CREATE' || !has(oldObject.spec.pause) || object.spec.pause != oldObject.spec.pause)";

/** CEL: the request changes what a binding hands out. */
export const BINDING_CHANGES = "request.operation == 'CREATE' || object.spec != oldObject.spec";
