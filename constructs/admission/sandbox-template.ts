/** Upstream SandboxTemplates: their controller opens the public internet unless the template says otherwise. */
import { type AdmissionRule, rule } from './rule.ts';

const managed = "dyn(object).?spec.?networkPolicyManagement.orValue('Managed') != 'Unmanaged'";
const egress = 'dyn(object).?spec.?networkPolicy.?egress';
const EVERYWHERE = "['0.0.0.0/0', '::/0']";

export const sandboxTemplateRules: readonly AdmissionRule[] = [
  rule(
    'explicit-egress',
    `!(${managed}) || ${egress}.hasValue()`,
    'set spec.networkPolicyManagement to Unmanaged, or spec.networkPolicy.egress: without either its controller opens the public internet',
  ),
  rule(
    'no-open-egress',
    `!(${managed}) || ${egress}.orValue([]).all(r, size(r.?to.orValue([])) > 0 && r.to.all(t, !(t.?ipBlock.?cidr.orValue('') in ${EVERYWHERE})))`,
    'spec.networkPolicy.egress may open neither every address nor a port to all of them: allow what is needed in an EgressPolicy',
  ),
];
