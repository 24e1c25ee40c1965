import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { operatorGoverned } from '../rbac/rules.ts';
import { ApiServerRefusals } from './api-server-refusals.ts';
import { addCommonMetadata } from './common-metadata.ts';
import { release } from './expr/expr.ts';
import { all, any, equals, greaterThan, isSet, not, pluck, size, sortedUnique, sum } from './expr/operators.ts';
import { FloorPolicy } from './floor-policy.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';
import { Inventory } from './inventory.ts';
import { chartLabels } from './labels.ts';
import { AlertRules } from './monitoring/alert-rules.ts';
import { DashboardConfigMap } from './monitoring/dashboard-config-map.ts';
import { names, systemNamespaces } from './names.ts';
import { Operator } from './operator.ts';
import { Probe } from './probe.ts';
import { ProbeRefusals } from './probe-refusals.ts';
import { ProbeTest } from './probe-test.ts';
import { ForEach } from './structure/for-each.ts';
import { Refusal } from './structure/refusal.ts';
import { When } from './structure/when.ts';
import { type AgentplaneRefs, agentplaneValues } from './values/agentplane.ts';
import { valueRefs } from './values/refs.ts';

export interface ReleasedChartProps {
  /** One version for all charts, and the tag of the image. */
  readonly version: string;
}

/**
 * Everything that a namespace admin can install: no cluster-scoped object in any rendering. Each child of the chart becomes
 * one template file.
 */
export class AgentplaneChart extends Chart {
  constructor(scope: Construct, id: string, props: ReleasedChartProps) {
    super(scope, id, { disableResourceNameHashes: true });
    const values = valueRefs(agentplaneValues);
    const labels = chartLabels('agentplane', props.version);
    new Refusals(this, 'refusals', values);
    new GovernedNamespaces(this, 'governed-namespaces', { values, labels });
    const governing = new When(this, 'operator', { condition: isSet(values.governedNamespaces) });
    new Operator(governing, 'operator', { values, labels, version: props.version });
    new Inventory(this, 'inventory', { values, labels, version: props.version });
    const alerting = new When(this, 'alerts', { condition: values.alerts.enabled });
    new AlertRules(alerting, 'rules', { values, labels });
    const showing = new When(this, 'dashboard', { condition: values.dashboard.enabled });
    new DashboardConfigMap(showing, 'dashboard', { values, labels });
    new ProbeRefusals(this, 'probe-refusals', values);
    const probing = new When(this, 'probe', { condition: values.probe.enabled });
    new Probe(probing, 'probe', { values, labels, version: props.version });
    const testing = new When(this, 'probe-test', { condition: values.probe.enabled });
    new ProbeTest(testing, 'test', { values, labels, version: props.version });
    addCommonMetadata(this, values);
  }
}

interface GovernedProps {
  readonly values: AgentplaneRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/** In each governed namespace: the floor, and what the operator may do there. */
class GovernedNamespaces extends Construct {
  constructor(scope: Construct, id: string, { values, labels }: GovernedProps) {
    super(scope, id);
    const loop = new ForEach(this, 'each', { list: values.governedNamespaces, variable: '$ns' });
    const { name: namespace, floor, secrets } = loop.item;
    for (const covers of ['AllPods', 'GovernedPods'] as const) {
      const chosen = new When(loop, `floor-${covers}`, { condition: equals(floor, covers) });
      new FloorPolicy(chosen, 'floor', { namespace, covers, labels });
    }
    new GrantedRole(loop, 'operator-role', {
      grant: operatorGoverned,
      namespace: `${namespace}`,
      subjects: [serviceAccountSubject(names.operator, `${release.namespace}`)],
      labels,
      conditions: { 'cilium.enabled': values.cilium.enabled, 'admission.enabled': values.admission.enabled },
      names: { 'governedNamespaces[].secrets': secrets },
    });
  }
}

/** What the values schema cannot judge, because it spans fields or depends on the release. */
class Refusals extends Construct {
  constructor(scope: Construct, id: string, values: AgentplaneRefs) {
    super(scope, id);
    const listed = pluck(values.governedNamespaces, 'name');
    new Refusal(this, 'duplicates', {
      condition: greaterThan(size(listed), size(sortedUnique(listed))),
      message: 'governedNamespaces: a namespace is listed twice. List each namespace once, with one floor.',
    });
    new Refusal(this, 'alerts', {
      condition: all(values.alerts.enabled, not(values.serviceMonitor.enabled)),
      message:
        'alerts.enabled: the alerts would wait for metrics that nobody scrapes. Set serviceMonitor.enabled as well.',
    });
    const { intervalSeconds } = values.inventory;
    new Refusal(this, 'report-age', {
      // A report is written at least every minute, at the first look after it: the second one has to come in time where one fails.
      condition: greaterThan(sum(intervalSeconds, intervalSeconds, 60), values.operator.reportMaxAgeSeconds),
      message:
        'operator.reportMaxAgeSeconds: reports would count as stale between two of them, and take every policy out of Ready. It must be at ' +
        'least twice inventory.intervalSeconds and a minute.',
    });
    const { enabled, ciliumEgress } = values.networkPolicy;
    new Refusal(this, 'cilium-egress', {
      condition: all(ciliumEgress, any(not(enabled), isSet(values.apiServer.addresses))),
      message:
        'networkPolicy.ciliumEgress: names the API server in place of addresses, and is a part of the network policies. Set networkPolicy.enabled, ' +
        'and leave apiServer.addresses empty.',
    });
    new ApiServerRefusals(this, 'api-server', values);
    const loop = new ForEach(this, 'each', { list: values.governedNamespaces, variable: '$ns' });
    const { name, floor } = loop.item;
    new Refusal(loop, 'install-namespace', {
      condition: all(equals(name, release.namespace), equals(floor, 'AllPods')),
      message:
        `governedNamespaces: "${name}" is the namespace of this release, and the floor AllPods would cut the operator off from ` +
        'the API server. Install into a namespace of its own, or set "floor: GovernedPods" for this one.',
    });
    new Refusal(loop, 'own-admission', {
      condition: all(equals(name, release.namespace), values.admission.enabled),
      message:
        `governedNamespaces: "${name}" is the namespace of this release, whose own pods have no RuntimeProfile and mount a token: under ` +
        'admission.enabled they would not start. Install into a namespace of its own.',
    });
    new Refusal(loop, 'system-namespaces', {
      condition: any(...systemNamespaces.map((system) => equals(name, system))),
      message: `governedNamespaces: "${name}" belongs to the cluster: a floor there would cut off its DNS. Remove it from the list.`,
    });
  }
}
