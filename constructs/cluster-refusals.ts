import { Construct } from 'constructs';
import { text } from './expr/expr.ts';
import { any, contains, equals, greaterThan, join, pluck, size, sortedUnique } from './expr/operators.ts';
import { systemNamespaces } from './names.ts';
import { ForEach } from './structure/for-each.ts';
import { Refusal } from './structure/refusal.ts';
import type { ClusterRefs } from './values/cluster.ts';

/** What agentplane-cluster refuses beside what its schema does. */
export class ClusterRefusals extends Construct {
  constructor(scope: Construct, id: string, { installs, podControllers, networkPolicyAuthors }: ClusterRefs) {
    super(scope, id);
    const listedIn = pluck(installs, 'namespace');
    new Refusal(this, 'twice', {
      condition: greaterThan(size(listedIn), size(sortedUnique(listedIn))),
      message:
        'installs: a namespace is listed twice. List each install once, with all the namespaces that it governs.',
    });
    const install = new ForEach(this, 'install', { list: installs, variable: '$install' });
    const governed = new ForEach(install, 'governed', {
      list: install.item.governedNamespaces,
      variable: '$governed',
    });
    const name = governed.item;
    new Refusal(governed, 'system-namespaces', {
      condition: any(...systemNamespaces.map((system) => equals(name, system))),
      message:
        `installs: "${name}" in governedNamespaces belongs to the cluster, whose own pods have no RuntimeProfile: none of them would start ` +
        'any more. Remove it from the list.',
    });
    for (const [key, users] of Object.entries({ podControllers, networkPolicyAuthors })) {
      new Refusal(governed, `${key}-of-tenants`, {
        // No name of a user holds a comma.
        condition: contains(text(`,${join(users, ',')}`), `,system:serviceaccount:${name}:`),
        message:
          `${key}: an account of the governed namespace "${name}" is listed, and whoever may edit there can act as any account of it: what the list ` +
          'allows would be allowed to all of them. Run the controller in a namespace of its own, or remove it from the list.',
      });
    }
    const other = new ForEach(governed, 'other', { list: installs, variable: '$other' });
    new Refusal(other, 'install-namespaces', {
      condition: equals(name, other.item.namespace),
      message:
        `installs: "${name}" in governedNamespaces is the namespace of an install, whose own pods have no RuntimeProfile and mount a token: ` +
        'they would not start any more, and whoever may edit there can act as the operator. Remove it from the list.',
    });
  }
}
