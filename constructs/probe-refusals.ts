import { Construct } from 'constructs';
import { release } from './expr/expr.ts';
import { all, any, equals, greaterThan, isEmpty, isSet, not } from './expr/operators.ts';
import { systemNamespaces } from './names.ts';
import { ForEach } from './structure/for-each.ts';
import { Refusal } from './structure/refusal.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

/** In `default` others run. */
const system = [...systemNamespaces, 'default'];

/** What the values schema cannot judge about the probe. */
export class ProbeRefusals extends Construct {
  constructor(scope: Construct, id: string, values: AgentplaneRefs) {
    super(scope, id);
    const { probe } = values;
    const { enabled, namespace } = probe;
    new Refusal(this, 'no-namespace', {
      condition: all(enabled, isEmpty(namespace)),
      message: 'probe.namespace: the probe needs a namespace of its own. Create one, and name it.',
    });
    new Refusal(this, 'install-namespace', {
      condition: all(enabled, equals(namespace, release.namespace)),
      message:
        `probe.namespace: "${namespace}" is the namespace of this release. Whoever may create pods there may run them as the operator: ` +
        'create a namespace for the probe alone.',
    });
    new Refusal(this, 'system-namespace', {
      condition: all(enabled, any(...system.map((name) => equals(namespace, name)))),
      message: `probe.namespace: "${namespace}" holds other workloads: create a namespace for the probe alone.`,
    });
    new Refusal(this, 'expiry', {
      condition: all(enabled, not(greaterThan(probe.expirySeconds, probe.intervalSeconds))),
      message: 'probe.expirySeconds: it must be more than probe.intervalSeconds, or results expire between two runs.',
    });
    this.refuseSameTargets(values);
    const loop = new ForEach(this, 'each', { list: values.governedNamespaces, variable: '$ns' });
    new Refusal(loop, 'governed-namespace', {
      condition: all(enabled, equals(loop.item.name, namespace)),
      message: `probe.namespace: "${namespace}" is governed. The probe writes nothing in governed namespaces: create one for it alone.`,
    });
  }

  private refuseSameTargets({ probe: { enabled, targets } }: AgentplaneRefs): void {
    for (const part of ['ipv4', 'ipv6', 'names'] as const) {
      const { allowed, denied } = targets[part];
      new Refusal(this, `same-${part}`, {
        condition: all(enabled, isSet(allowed), equals(allowed, denied)),
        message: `probe.targets.${part}: allowed and denied are the same. They have to be on different addresses.`,
      });
    }
  }
}
