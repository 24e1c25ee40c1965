import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { release } from '../expr/expr.ts';
import { spread } from '../expr/fragment.ts';
import { selectorLabels } from '../labels.ts';
import { ports } from '../names.ts';
import type { FencedProps } from '../own-network-policy.ts';
import { When } from '../structure/when.ts';

/**
 * A ServiceMonitor and the Service that it reads. Rendered by a value alone, never by whether its CRD is served: tools that
 * render without a cluster (Argo CD) would leave it out in silence.
 */
export class MetricsEndpoint extends Construct {
  constructor(scope: Construct, id: string, props: FencedProps) {
    super(scope, id);
    const { serviceMonitor } = props.values;
    const enabled = new When(this, 'enabled', { condition: serviceMonitor.enabled });
    const metadata = { name: props.name, namespace: `${release.namespace}`, labels: { ...props.labels } };
    new k8s.KubeService(enabled, 'service', {
      metadata,
      spec: {
        type: 'ClusterIP',
        clusterIp: 'None',
        clusterIPs: ['None'],
        // The family itself is the cluster's choice, so that it stays unsaid.
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
        selector: { ...selectorLabels(props.component) },
        ports: [
          {
            name: 'metrics',
            port: ports.metrics,
            targetPort: k8s.IntOrString.fromString('metrics'),
            protocol: 'TCP',
          },
        ],
      },
    });
    new ApiObject(enabled, 'monitor', {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { ...metadata, labels: { ...props.labels, ...spread(serviceMonitor.labels) } },
      spec: {
        selector: { matchLabels: { ...selectorLabels(props.component) } },
        endpoints: [{ port: 'metrics', path: '/metrics', interval: `${serviceMonitor.interval}` }],
      },
    });
  }
}
