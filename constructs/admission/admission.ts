import { Construct } from 'constructs';
import type { Expr } from '../expr/expr.ts';
import { type Fragment, onlyIf } from '../expr/fragment.ts';
import { choose, equals, isSet, join, not, pluck } from '../expr/operators.ts';
import { names } from '../names.ts';
import { ForEach } from '../structure/for-each.ts';
import { When } from '../structure/when.ts';
import type { ClusterRefs } from '../values/cluster.ts';
import { AdmissionBinding, AdmissionPolicy } from './admission-policy.ts';
import { inventoryFence, operatorFence } from './fence.ts';
import { admissionPolicies } from './policies.ts';
import type { AdmissionLists } from './policy-spec.ts';
import { resources, WHAT_BY_REQUEST } from './subject.ts';

export interface AdmissionProps {
  readonly values: ClusterRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/** A CEL list of a list of values. The values schema bounds what may stand in one: neither quote nor backslash. */
function celListOf(list: Expr<readonly string[]>): string {
  return `['${join(list, "', '")}']`;
}

function listsOf(values: ClusterRefs): AdmissionLists {
  return {
    installs: celListOf(pluck(values.installs, 'namespace')),
    tokenAccounts: celListOf(values.tokenAccounts),
    podControllers: celListOf(values.podControllers),
    networkPolicyAuthors: celListOf(values.networkPolicyAuthors),
    imagePullSecrets: celListOf(values.imagePullSecrets),
  };
}

const DENY = ['Deny'] as const;

function actionsOf({ enforcement }: ClusterRefs): readonly Fragment<string>[] {
  const denies = equals(enforcement, 'Deny');
  return [onlyIf(denies, 'Deny'), onlyIf(not(denies), 'Warn'), onlyIf(not(denies), 'Audit')];
}

/** What a missing parameter does is no action of a binding, and would deny also where nothing else does. */
function missing({ enforcement }: ClusterRefs): string {
  return `${choose(equals(enforcement, 'Deny'), 'Deny', 'Allow')}`;
}

/** One policy, and for each install the namespaces in which it holds. Each becomes a template file. */
export function addAdmissionPolicies(scope: Construct, { values, labels }: AdmissionProps): void {
  for (const { withoutParams, alwaysDenies = false, inInstall = false, ...spec } of admissionPolicies(
    listsOf(values),
  )) {
    const listed = new When(scope, spec.name.replace('agentplane-', 'admission-'), {
      condition: isSet(values.installs),
    });
    new AdmissionPolicy(listed, 'policy', { ...spec, labels });
    const loop = new ForEach(listed, 'each', { list: values.installs, variable: '$install' });
    const { namespace, governedNamespaces } = loop.item;
    const governing = new When(loop, 'governing', { condition: isSet(governedNamespaces) });
    const bound = {
      policy: spec.name,
      labels,
      actions: alwaysDenies ? DENY : actionsOf(values),
      // What protects AgentPlane itself denies all the same.
      ...(withoutParams === undefined
        ? {}
        : { withoutParams: withoutParams === 'Deny' && !alwaysDenies ? missing(values) : withoutParams }),
    };
    const name = `${spec.name}-${namespace}`;
    new AdmissionBinding(governing, 'binding', { ...bound, name, namespaces: governedNamespaces });
    if (!inInstall) continue;
    new AdmissionBinding(governing, 'install', { ...bound, name: `${name}-install`, namespaces: [`${namespace}`] });
  }
}

/** What the own identities of each install may write at all: everywhere, and outside of namespaces. */
export class Fences extends Construct {
  constructor(scope: Construct, id: string, { values, labels }: AdmissionProps) {
    super(scope, id);
    const loop = new ForEach(this, 'each', { list: values.installs, variable: '$install' });
    const { namespace, governedNamespaces } = loop.item;
    // An install whose namespaces are not listed is not under admission at all: a fence would cut it off from what it governs.
    const governing = new When(loop, 'governing', { condition: isSet(governedNamespaces) });
    const rules = {
      [names.operator]: operatorFence(`'${namespace}'`, celListOf(governedNamespaces)),
      [names.inventory]: inventoryFence(`'${namespace}'`),
    };
    for (const [identity, rule] of Object.entries(rules)) {
      const name = `${identity}-fence-${namespace}`;
      new AdmissionPolicy(governing, identity, {
        name,
        labels,
        resourceRules: [resources('*', ['*'], ['*/*'], ['*'])],
        when: { identity: `request.userInfo.username == 'system:serviceaccount:${namespace}:${identity}'` },
        variables: [WHAT_BY_REQUEST],
        rules: [rule],
      });
      new AdmissionBinding(governing, `${identity}-binding`, {
        name,
        policy: name,
        labels,
        actions: DENY,
      });
    }
  }
}
