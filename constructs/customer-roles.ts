import type { V1ClusterRole, V1PolicyRule } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { EgressPolicy } from '../src/api/egress-policy.ts';
import { KINDS } from '../src/api/kinds.ts';
import { GROUP } from '../src/api/meta.ts';
import { RuntimeProfile } from '../src/api/runtime-profile.ts';
import { manifest } from './manifest.ts';

const READ = ['get', 'list', 'watch'];
/** No `update`: tools apply and patch. No `deletecollection`: nobody deletes every policy by mistake. */
const WRITE = ['create', 'patch', 'delete'];

const plurals = KINDS.map(({ plural }) => plural);
/** What people write. A CapabilityReport is written by the inventory. */
const authored = KINDS.filter(({ spec }) => spec !== undefined).map(({ plural }) => plural);

const read: V1PolicyRule = { apiGroups: [GROUP], resources: plurals, verbs: READ };
const use: V1PolicyRule = { apiGroups: [GROUP], resources: [RuntimeProfile.plural], verbs: ['use'] };
const pause: V1PolicyRule = { apiGroups: [GROUP], resources: [EgressPolicy.plural], verbs: ['pause'] };
const write: V1PolicyRule = { apiGroups: [GROUP], resources: authored, verbs: WRITE };

/**
 * What the built-in roles say of AgentPlane's kinds: `view` reads, `edit` uses the profiles that there are, `admin` writes them. Whoever
 * may edit workloads does not decide what they may reach.
 */
const ROLES: Readonly<Record<'view' | 'edit' | 'admin', readonly V1PolicyRule[]>> = {
  view: [read],
  edit: [read, use],
  admin: [read, use, pause, write],
};

export class CustomerRoles extends Construct {
  constructor(scope: Construct, id: string, { labels }: { readonly labels: Readonly<Record<string, string>> }) {
    super(scope, id);
    for (const [role, rules] of Object.entries(ROLES)) {
      manifest<V1ClusterRole>(this, role, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: {
          name: `agentplane-${role}`,
          labels: { ...labels, [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' },
        },
        rules: [...rules],
      });
    }
  }
}
