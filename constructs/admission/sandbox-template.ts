/** Upstream SandboxTemplates: their controller opens the public internet unless the template says otherwise. */
import { type AdmissionRule, rule } from './rule.ts';

const managed = "dyn(object).?spec.?networkPolicyManagement.orValue('Managed') != 'Unmanaged'";
const egress = 'dyn(object).?spec.?networkPolicy.?egress';
/** A block of at least eight bits, or pods that a selector names. */
const NARROW = '^[0-9a-fA-F.:]+/([89]|[1-9][0-9]|1[01][0-9]|12[0-8])$';
const isNarrow =
  `t.?ipBlock.?cidr.orValue('').matches('${NARROW}') || ` +
  '(!has(t.ipBlock) && (has(t.podSelector) || size(t.?namespaceSelector.orValue({})) > 0))';

export const sandboxTemplateRules: readonly AdmissionRule[] = [
  rule(
    'explicit-egress',
    `!(${managed}) || ${egress}.hasValue()`,
    'set spec.networkPolicyManagement to Unmanaged, or spec.networkPolicy.egress: without either its controller opens the public internet',
  ),
  rule(
    'no-open-egress',
    `!(${managed}) || ${egress}.orValue([]).all(r, size(r.?to.orValue([])) > 0 && r.to.all(t, ${isNarrow}))`,
    'spec.networkPolicy.egress may open neither every address nor a port to all of them, nor a block of fewer than eight bits: allow what is needed in an EgressPolicy',
  ),
];
