/** A person who installs: a certificate, the built-in ClusterRole `admin` in some namespaces, and chosen rights on top. */
import { attachEmbedded } from '../../../scripts/clusters/embedded/control-plane.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { KubeObject, ObjectMeta, Resource } from '../../../src/kube/types.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { type Access, accessOf } from './chart-access.ts';
import { includes, type Right, ruleOf, textOf, textsOf } from './chart-rights.ts';
import type { ChartSite } from './chart-site.ts';

export interface Installer {
  readonly user: string;
  readonly kubeconfigPath: string;
  readonly access: Access;
  /** Replaces the rights beside `admin`, and waits until the API server answers accordingly. */
  grant(rights: readonly Right[]): Promise<void>;
}

/** Why a right need not be given. */
export interface Covered {
  readonly right: Right;
  readonly by: string;
}

const ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role' };
/** The manager of kubectl, which creates the Roles: another one would leave the first one's rules in place. */
const MANAGER = { fieldManager: 'kubectl', force: false };

/**
 * Issues certificates ahead, one after the other: the authority counts its serial numbers in one file, so suites that run side by
 * side may not have theirs issued at the same time.
 */
export async function issueCertificates(users: readonly string[]): Promise<void> {
  const controlPlane = await attachEmbedded(controlPlaneOfWorker().folder);
  for (const name of users) await controlPlane.kubeconfigFor({ kind: 'User', name, groups: [] });
}

/** An installer for the namespaces of the site. Holds `admin` there from the start, and nothing elsewhere. */
export async function createInstaller(site: ChartSite, user: string): Promise<Installer> {
  const kubeconfigPath = await site.controlPlane.kubeconfigFor({ kind: 'User', name: user, groups: [] });
  const access = accessOf(kubeconfigPath);
  const namespaces = [site.install, ...site.governed, site.probe];
  await site.kubectl.apply(
    namespaces.flatMap((namespace) => [
      role(user, namespace, []),
      binding(user, { namespace, name: user }, { kind: 'Role', name: user }),
      binding(user, { namespace, name: `${user}-admin` }, { kind: 'ClusterRole', name: 'admin' }),
    ]),
  );
  const admin = await Promise.all(namespaces.map((namespace) => asAdmin(access, namespace)));
  return {
    user,
    kubeconfigPath,
    access,
    grant: async (rights) => {
      await Promise.all(namespaces.map((namespace) => site.admin.apply(ROLES, role(user, namespace, rights), MANAGER)));
      for (const [index, namespace] of namespaces.entries()) {
        const added = rights.filter((right) => right.namespace === namespace);
        await waitForRights(access, namespace, [...(admin[index] ?? []), ...textsOf(added)]);
      }
    },
  };
}

/** The user's own Role in the namespace, with those of the rights that are of it. */
function role(user: string, namespace: string, rights: readonly Right[]): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: user, namespace },
    rules: rights.filter((right) => right.namespace === namespace).map(ruleOf),
  };
}

function binding(
  user: string,
  metadata: ObjectMeta,
  roleRef: { readonly kind: string; readonly name: string },
): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
}

/** Until the API server answers by these rights, no more and no less. */
async function waitForRights(access: Access, namespace: string, rights: readonly string[]): Promise<void> {
  await waitFor(`the rights in ${namespace}`, { timeoutMs: 10_000, intervalMs: 20 }, async () => {
    const held = await access.holds(namespace);
    const differing = [...without(held, rights), ...without(rights, held)];
    return differing.length === 0
      ? { done: true, value: undefined }
      : { done: false, saw: `not as granted: ${differing}` };
  });
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return list.filter((each) => !known.has(each));
}

/** `admin` is put together from three parts by a controller, which may still be at it: one right of each part. */
const PARTS_OF_ADMIN: readonly Right[] = [
  { apiGroup: 'rbac.authorization.k8s.io', resource: 'rolebindings', verb: 'create' },
  { apiGroup: 'apps', resource: 'deployments', verb: 'create' },
  { apiGroup: '', resource: 'pods/log', verb: 'get' },
];

/** The rights of `admin`, once the API server has seen the binding. */
function asAdmin(access: Access, namespace: string): Promise<readonly string[]> {
  const known = PARTS_OF_ADMIN.map((right) => textOf({ ...right, namespace }));
  return waitFor(`the role admin in ${namespace}`, { timeoutMs: 10_000, intervalMs: 20 }, async () => {
    const held = await access.holds(namespace);
    const missing = known.filter((right) => !held.includes(right));
    return missing.length === 0 ? { done: true, value: held } : { done: false, saw: `without ${missing.join(', ')}` };
  });
}

/** Which of the rights the installer holds already, as the API server answers it, or by another one of them. */
export async function coveredRights(installer: Installer, rights: readonly Right[]): Promise<readonly Covered[]> {
  await installer.grant([]);
  const covered = await Promise.all(
    rights.map(async (right): Promise<readonly Covered[]> => {
      if (await installer.access.can(right)) return [{ right, by: 'the role admin' }];
      const wider = rights.find((other) => other !== right && includes(other, right));
      return wider === undefined ? [] : [{ right, by: textOf(wider) }];
    }),
  );
  return covered.flat();
}
