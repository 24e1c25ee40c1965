import type {
  V1LabelSelector,
  V1MatchCondition,
  V1NamedRuleWithOperations,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1Validation,
  V1Variable,
} from '@kubernetes/client-node';
import { Construct } from 'constructs';
import type { Expr } from '../expr/expr.ts';
import type { Fragment, Templated } from '../expr/fragment.ts';
import { manifest } from '../manifest.ts';
import type { AdmissionRule } from './rule.ts';
import { WHAT } from './subject.ts';

export interface AdmissionPolicyProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resourceRules: readonly V1NamedRuleWithOperations[];
  /** CEL, all of which must be true for the rules to be looked at. By name. */
  readonly when?: Readonly<Record<string, string>>;
  /** Beside `variables.what`. */
  readonly variables?: readonly V1Variable[];
  readonly rules: readonly AdmissionRule[];
  readonly params?: { readonly apiVersion: string; readonly kind: string };
  /** CEL of a string between the name of the object and the message of a rule: what the rule belongs to. */
  readonly by?: string;
}

/** A ValidatingAdmissionPolicy, with the defaults of the API server written out: what is rendered is what is live. */
export class AdmissionPolicy extends Construct {
  constructor(scope: Construct, id: string, props: AdmissionPolicyProps) {
    super(scope, id);
    const { name, labels, resourceRules, when = {}, variables = [WHAT], rules, params, by = "''" } = props;
    manifest<V1ValidatingAdmissionPolicy>(this, 'policy', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels },
      spec: {
        failurePolicy: 'Fail',
        ...(params === undefined ? {} : { paramKind: { apiVersion: params.apiVersion, kind: params.kind } }),
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [...resourceRules],
        },
        ...(Object.keys(when).length === 0 ? {} : { matchConditions: conditions(when) }),
        variables: variables.some(({ name: known }) => known === WHAT.name) ? [...variables] : [WHAT, ...variables],
        validations: rules.map((item) => validation(item, by)),
      },
    });
  }
}

function conditions(when: Readonly<Record<string, string>>): V1MatchCondition[] {
  return Object.entries(when).map(([name, expression]) => ({ name, expression }));
}

function validation({ holds, message }: AdmissionRule, by: string): V1Validation {
  return { expression: holds, messageExpression: `variables.what + ${by} + (${message})`, reason: 'Forbidden' };
}

export interface AdmissionBindingProps {
  readonly name: string;
  readonly policy: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where it holds; everywhere, and outside of namespaces, when left out. */
  readonly namespaces?: Expr<readonly string[]> | readonly string[];
  readonly actions: readonly (string | Fragment<string>)[];
  /** `Allow` or `Deny`: what happens where the policy has parameters, and the namespace holds none of them. */
  readonly withoutParams?: string;
}

/** Namespaces are told by a label that the API server sets itself: nobody can take a namespace out. */
export class AdmissionBinding extends Construct {
  constructor(scope: Construct, id: string, props: AdmissionBindingProps) {
    super(scope, id);
    const { name, policy, labels, namespaces, actions, withoutParams } = props;
    const inThese: Templated<V1LabelSelector> =
      namespaces === undefined
        ? {}
        : {
            matchExpressions: [
              // The list is not changed by whoever renders it; the type of the client library cannot say so.
              { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces as Expr<string[]> | string[] },
            ],
          };
    manifest<V1ValidatingAdmissionPolicyBinding>(this, 'binding', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels },
      spec: {
        policyName: policy,
        ...(withoutParams === undefined ? {} : { paramRef: { selector: {}, parameterNotFoundAction: withoutParams } }),
        matchResources: { matchPolicy: 'Equivalent', namespaceSelector: inThese, objectSelector: {} },
        validationActions: actions,
      },
    });
  }
}
