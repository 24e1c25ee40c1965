import type { RbacV1Subject, V1ClusterRole, V1ClusterRoleBinding } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { runtimeClassesRead } from '../rbac/cluster-rules.ts';
import { serviceAccountSubject } from './granted-role.ts';
import { manifest } from './manifest.ts';
import { each } from './structure/each.ts';
import type { ClusterRefs } from './values/cluster.ts';

export interface RuntimeClassReaderProps {
  readonly values: ClusterRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * `get` of the RuntimeClasses that the platform admin lists, for the inventory of each install: RuntimeClasses belong to the cluster, so no
 * Role of a namespace can grant it. One verb, by name, and only where it is asked for.
 */
export class RuntimeClassReader extends Construct {
  constructor(scope: Construct, id: string, { values, labels }: RuntimeClassReaderProps) {
    super(scope, id);
    const apiGroup = 'rbac.authorization.k8s.io';
    const { identity, role, rule } = runtimeClassesRead;
    const metadata = { name: role, labels };
    manifest<V1ClusterRole>(this, 'role', {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [
        {
          apiGroups: [rule.apiGroup],
          resources: [rule.resource],
          resourceNames: values.runtimeClasses,
          verbs: [...rule.verbs],
        },
      ],
    });
    manifest<V1ClusterRoleBinding>(this, 'binding', {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
      subjects: [
        each<(typeof values.installs)['items'], RbacV1Subject>(values.installs, '$install', ({ namespace }) =>
          serviceAccountSubject(identity, `${namespace}`),
        ),
      ],
    });
  }
}
