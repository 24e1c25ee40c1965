import type { V1ClusterRole } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { customerRoleName, customerRoles } from '../rbac/customer-rules.ts';
import { GROUP } from '../src/api/meta.ts';
import { manifest } from './manifest.ts';

/** What the built-in roles say of AgentPlane's kinds. */
export class CustomerRoles extends Construct {
  constructor(scope: Construct, id: string, { labels }: { readonly labels: Readonly<Record<string, string>> }) {
    super(scope, id);
    for (const [role, rules] of Object.entries(customerRoles)) {
      manifest<V1ClusterRole>(this, role, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: {
          name: customerRoleName(role),
          labels: { ...labels, [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' },
        },
        rules: rules.map(({ resources, verbs }) => ({
          apiGroups: [GROUP],
          resources: [...resources],
          verbs: [...verbs],
        })),
      });
    }
  }
}
