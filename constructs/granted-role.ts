import type { RbacV1Subject, V1PolicyRule, V1Role, V1RoleBinding } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import type { Grant, Rule } from '../rbac/rules.ts';
import type { Expr } from './expr/expr.ts';
import { type Fragment, onlyIf, type Templated } from './expr/fragment.ts';
import { all, isSet } from './expr/operators.ts';
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
  /** The values that list names. Needed by a grant that has such rules. */
  readonly names?: Readonly<Record<NonNullable<Rule['resourceNamesFrom']>, Expr<readonly string[]>>>;
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
  const { when, resourceNamesFrom } = rule;
  const condition = when && passed(props.conditions?.[when], `${when}: pass it in "conditions"`, rule, props);
  const names =
    resourceNamesFrom &&
    passed(props.names?.[resourceNamesFrom], `${resourceNamesFrom}: pass it in "names"`, rule, props);
  const resourceNames = names ?? (rule.resourceNames && [...rule.resourceNames]);
  const granted: Templated<V1PolicyRule> = {
    apiGroups: [rule.apiGroup],
    resources: [rule.resource],
    ...(resourceNames === undefined ? {} : { resourceNames }),
    verbs: [...rule.verbs],
  };
  // An empty list would mean every name.
  const conditions = [...(names === undefined ? [] : [isSet(names)]), ...(condition === undefined ? [] : [condition])];
  const [only, second] = conditions;
  if (only === undefined) return granted as V1PolicyRule;
  return onlyIf<V1PolicyRule>(second === undefined ? only : all(only, second), granted);
}

/** @throws Error when nobody passed what the rule depends on: it would be granted always, or never */
function passed<T>(value: T | undefined, what: string, { resource }: Rule, { grant }: GrantedRoleProps): T {
  if (value !== undefined) return value;
  throw new Error(`${grant.role}: the rule on ${resource} depends on ${what}`);
}

/** The ServiceAccount of an identity as the subject of a binding. */
export function serviceAccountSubject(name: string, namespace: string): RbacV1Subject {
  return { kind: 'ServiceAccount', name, namespace };
}
