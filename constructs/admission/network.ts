/**
 * NetworkPolicies of others add to ours: egress that they allow, a governed pod gets. So a policy of somebody else that allows egress has
 * to leave governed pods out, by the label that every one of them carries.
 */
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import type { AdmissionRule } from './rule.ts';

const WAY_OUT =
  `it allows egress, and network policies add up: leave governed pods out with the selector ` +
  `{key: ${PROFILE_LABEL}, operator: DoesNotExist}, and allow what they may reach in an EgressPolicy`;

const excludes = (selector: string, keys: readonly string[]): string =>
  `${selector}.?matchExpressions.orValue([]).exists(e, e.operator == 'DoesNotExist' && e.key in [${keys.map((key) => `'${key}'`).join(', ')}])`;

export const networkPolicyLeavesOut: AdmissionRule = {
  name: 'network-policy',
  holds: `size(object.spec.?egress.orValue([])) == 0 || ${excludes('object.spec.podSelector', [PROFILE_LABEL])}`,
  message: `'${WAY_OUT}'`,
};

/** Both spellings: Cilium takes a key without a source for one of any source. */
const CILIUM_KEYS = [PROFILE_LABEL, `k8s:${PROFILE_LABEL}`, `any:${PROFILE_LABEL}`];
const specs = '(has(object.spec) ? [dyn(object.spec)] : []) + dyn(object).?specs.orValue([])';

export const ciliumPolicyLeavesOut: AdmissionRule = {
  name: 'cilium-network-policy',
  holds: `(${specs}).all(s, size(s.?egress.orValue([])) == 0 || ${excludes('s.?endpointSelector', CILIUM_KEYS)})`,
  message: `'${WAY_OUT}'`,
};
