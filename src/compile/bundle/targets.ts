/** The formats that a bundle is compiled to, as data: what each can say. What one cannot say is refused by rule and target. */
import type { BundleTarget } from '../../api/policy-bundle.ts';
import type { ToolRule } from '../../api/tool-rule.ts';
import { cedarFiles } from './cedar.ts';
import { isPattern, type ToolPolicy } from './rules.ts';
import { jsonFiles } from './tool-policy.ts';

/** What a rule needs a format to be able to say. */
export type RuleNeed = `effect.${ToolRule['effect']}` | 'tools.pattern';

export interface Target {
  readonly expresses: readonly RuleNeed[];
  /** Texts by the key of the ConfigMap that they stand under. */
  readonly files: (policy: ToolPolicy) => Readonly<Record<string, string>>;
}

export type Targets = Readonly<Record<BundleTarget, Target>>;

const EVERYTHING: readonly RuleNeed[] = ['effect.Allow', 'effect.Ask', 'effect.Deny', 'tools.pattern'];

export const TARGETS: Targets = {
  // Three outcomes by two actions, each permitted or forbidden: ADR 0013.
  Cedar: { expresses: EVERYTHING, files: cedarFiles },
  JSON: { expresses: EVERYTHING, files: jsonFiles },
};

export interface Inexpressible {
  readonly rule: string;
  readonly target: BundleTarget;
  readonly need: RuleNeed;
}

/** Every rule that one of the targets cannot say. There is no weaker form that would be put in its place. */
export function inexpressible(
  rules: readonly ToolRule[],
  targets: readonly BundleTarget[],
  table: Targets,
): readonly Inexpressible[] {
  return rules.flatMap((rule) =>
    targets.flatMap((target) =>
      needsOf(rule)
        .filter((need) => !table[target].expresses.includes(need))
        .map((need) => ({ rule: rule.id, target, need })),
    ),
  );
}

function needsOf({ effect, tools }: ToolRule): readonly RuleNeed[] {
  return tools.some(isPattern) ? [`effect.${effect}`, 'tools.pattern'] : [`effect.${effect}`];
}
