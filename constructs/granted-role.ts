import type { RbacV1Subject, V1PolicyRule, V1Role, V1RoleBinding } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import type { Grant, Rule } from '../rbac/rules.ts';
import type { Expr } from './expr/expr.ts';
import { type Fragment, onlyIf, type Templated } from './expr/fragment.ts';
import { manifest } from './manifest.ts';

export interface GrantedRoleProps {
  readonly grant: Grant;
  /** Where the Role and its binding live. */
  readonly namespace: string;
  /** The ServiceAccounts that hold it. */
  readonly subjects: readonly (Templated<RbacV1Subject> | Fragment<RbacV1Subject>)[];
  readonly labels: Readonly<Record<string, string>>;
  /** The values that rules may depend on. Needed by a grant that has such rules. */
  readonly conditions?: Readonly<Record<NonNullable<Rule['when']>, Expr<boolean>>>;
}

/** A Role with the rules of a grant, and the binding that gives it to its identity. */
export class GrantedRole extends Construct {
  constructor(scope: Construct, id: string, props: GrantedRoleProps) {
    super(scope, id);
    const metadata = { name: props.grant.role, namespace: props.namespace, labels: props.labels };
    manifest<V1Role>(this, 'role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: props.grant.rules.map((rule) => policyRule(rule, props)),
    });
    manifest<V1RoleBinding>(this, 'binding', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: props.grant.role },
      subjects: props.subjects,
    });
  }
}

function policyRule(rule: Rule, props: GrantedRoleProps): V1PolicyRule | Fragment<V1PolicyRule> {
  const granted: V1PolicyRule = {
    apiGroups: [rule.apiGroup],
    resources: [rule.resource],
    ...(rule.resourceNames === undefined ? {} : { resourceNames: [...rule.resourceNames] }),
    verbs: [...rule.verbs],
  };
  if (rule.when === undefined) return granted;
  const condition = props.conditions?.[rule.when];
  if (condition === undefined) {
    throw new Error(
      `${props.grant.role}: the rule on ${rule.resource} depends on ${rule.when}: pass it in "conditions"`,
    );
  }
  return onlyIf(condition, granted);
}

/** The ServiceAccount of an identity as the subject of a binding. */
export function serviceAccountSubject(name: string, namespace: string): RbacV1Subject {
  return { kind: 'ServiceAccount', name, namespace };
}
