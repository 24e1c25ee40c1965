import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { release } from '../expr/expr.ts';
import { type Fragment, onlyIf, spread } from '../expr/fragment.ts';
import { isSet } from '../expr/operators.ts';
import type { AgentplaneRefs } from '../values/agentplane.ts';
import { ALERTS, type Alert, SELECT } from './alerts.ts';

export interface AlertRulesProps {
  readonly values: AgentplaneRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/** A PrometheusRule with the alerts about what runs, of this install alone. By a value, as the ServiceMonitor. */
export class AlertRules extends Construct {
  constructor(scope: Construct, id: string, { values, labels }: AlertRulesProps) {
    super(scope, id);
    new ApiObject(this, 'rule', {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: {
        name: 'agentplane',
        namespace: `${release.namespace}`,
        labels: { ...labels, ...spread(values.alerts.labels) },
      },
      spec: { groups: [{ name: 'agentplane', rules: ALERTS.map((alert) => ruleWhereItWatches(alert, values)) }] },
    });
  }
}

function ruleWhereItWatches(alert: Alert, { governedNamespaces, probe }: AgentplaneRefs): object | Fragment<object> {
  // The inventory always runs.
  if (alert.watches === 'all') return ruleOf(alert);
  return onlyIf<object>(alert.watches === 'probe' ? probe.enabled : isSet(governedNamespaces), ruleOf(alert));
}

function ruleOf({ name, expression, severity, summary, description, for: after }: Alert): object {
  return {
    alert: name,
    expr: expression.replaceAll(SELECT, `namespace="${release.namespace}"`),
    for: after,
    labels: { severity },
    annotations: { summary, description },
  };
}
