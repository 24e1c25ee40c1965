/** Takes something from the inventory, or from what it looks at, and gives it back. */
import type { Client } from '../../../src/kube/client.ts';
import type { KubeObject, Resource } from '../../../src/kube/types.ts';
import type { Kubectl } from '../../support/kubectl.ts';

const ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role' };
const INVENTORY_ROLE = { namespace: 'kube-system', name: 'agentplane-inventory' };

type Restore = () => Promise<void>;

/** Without `get` on the resource in the system namespace. */
export async function withoutRight(client: Client, resource: string): Promise<Restore> {
  const { rules } = (await client.get(ROLES, INVENTORY_ROLE)) as KubeObject & {
    readonly rules: readonly { readonly resources: readonly string[] }[];
  };
  const set = async (value: unknown) => {
    await client.mergePatch(ROLES, INVENTORY_ROLE, { rules: value }, { fieldManager: 'stage' });
  };
  await set(rules.filter(({ resources }) => !resources.includes(resource)));
  return () => set(rules);
}

const EGRESS = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/egress/items/properties';

/** The API of Cilium with another name for `toFQDNs`: a look-alike of the same group and kind. */
export async function withLookAlike(kubectl: Kubectl): Promise<Restore> {
  const move = async (from: string, to: string) => {
    const patch = JSON.stringify([{ op: 'move', from: `${EGRESS}/${from}`, path: `${EGRESS}/${to}` }]);
    await kubectl.run('patch', 'crd', 'ciliumnetworkpolicies.cilium.io', '--type=json', '-p', patch);
  };
  await move('toFQDNs', 'fqdns');
  return () => move('fqdns', 'toFQDNs');
}
