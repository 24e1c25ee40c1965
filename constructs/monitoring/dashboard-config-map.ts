import type { V1ConfigMap } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { release } from '../expr/expr.ts';
import { spread } from '../expr/fragment.ts';
import { manifest } from '../manifest.ts';
import type { AlertRulesProps } from './alert-rules.ts';
import { dashboard } from './dashboard.ts';

/** The dashboard where Grafana's sidecar finds it: a ConfigMap with the label that it looks for. */
export class DashboardConfigMap extends Construct {
  constructor(scope: Construct, id: string, { values, labels }: AlertRulesProps) {
    super(scope, id);
    manifest<V1ConfigMap>(this, 'dashboard', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'agentplane-dashboard',
        namespace: `${release.namespace}`,
        labels: { ...labels, ...spread(values.dashboard.labels) },
      },
      data: { 'agentplane.json': JSON.stringify(dashboard(), null, 2) },
    });
  }
}
