import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { release } from '../expr/expr.ts';
import { spread } from '../expr/fragment.ts';
import type { AgentplaneRefs } from '../values/agentplane.ts';
import { ALERTS, type Alert, SELECT } from './alerts.ts';

export interface AlertRulesProps {
  readonly values: AgentplaneRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/** A PrometheusRule with the alerts, about this install alone. By a value, as the ServiceMonitor. */
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
      spec: { groups: [{ name: 'agentplane', rules: ALERTS.map(ruleOf) }] },
    });
  }
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
