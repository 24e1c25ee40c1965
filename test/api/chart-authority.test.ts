/**
 * What the identities may do, as the API server answers it to themselves: the table in rbac/rules.ts, what every ServiceAccount
 * has, and nothing else.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lack, lacks } from '../../rbac/lacks.ts';
import { type Grant, grants, type Identity } from '../../rbac/rules.ts';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { Helm } from '../support/helm.ts';
import { type Kubectl, kubectlFor } from '../support/kubectl.ts';
import { type Access, accessOf, servedResources } from './support/chart-access.ts';
import { clearPlatform, clusterRelease } from './support/chart-platform.ts';
import { release, uninstall } from './support/chart-release.ts';
import { includes, type Right, rightsOfRules, textOf, textsOf } from './support/chart-rights.ts';
import { type ChartSite, chartSite, LISTED_SECRETS } from './support/chart-site.ts';

const identities: readonly Identity[] = ['agentplane-operator', 'agentplane-inventory', 'agentplane-probe'];

interface Person {
  readonly access: Access;
  readonly kubectl: Kubectl;
}

let site: ChartSite;
let helm: Helm;
let administrator: Access;
/** An identity of the same namespace that was given nothing: what it holds, every ServiceAccount there holds. */
let nobody: Access;
let people: ReadonlyMap<Identity, Person>;

beforeAll(async () => {
  site = await chartSite('authority');
  helm = await site.helm(4);
  await clearPlatform(site.kubectl);
  await release(helm, 'install', clusterRelease([site.install]));
  await release(helm, 'install', site.release);
  administrator = accessOf(site.kubectl.kubeconfigPath);
  nobody = accessOf(await kubeconfigOf('default'));
  people = new Map(
    await Promise.all(
      identities.map(async (identity) => {
        const kubeconfigPath = await kubeconfigOf(identity);
        const kubectl = kubectlFor(site.kubectl.path, kubeconfigPath);
        return [identity, { access: accessOf(kubeconfigPath), kubectl }] as const;
      }),
    ),
  );
  for (const identity of identities) await waitForBindings(identity);
});

afterAll(async () => {
  await uninstall(helm, site.release);
  await uninstall(helm, clusterRelease([]));
  await site.remove();
});

function kubeconfigOf(name: string): Promise<string> {
  return site.controlPlane.kubeconfigFor({ kind: 'ServiceAccount', namespace: site.install, name });
}

function person(identity: Identity): Person {
  const found = people.get(identity);
  if (found === undefined) throw new Error(`no credentials for ${identity}`);
  return found;
}

/**
 * The API server answers by a new binding a moment after it has accepted it, and then by its whole Role: any right will do as a
 * sign. Which ones there are is for the tests to say.
 */
async function waitForBindings(identity: Identity): Promise<void> {
  const namespaces = new Set(
    grants.filter((grant) => grant.identity === identity).flatMap(({ namespace }) => namespacesOf(namespace)),
  );
  for (const namespace of namespaces) {
    const everybody = await nobody.holds(namespace);
    await waitUntil(`a right of ${identity} in ${namespace}`, { timeoutMs: 10_000, intervalMs: 50 }, async () => {
      return (await person(identity).access.holds(namespace)).length > everybody.length;
    });
  }
}

function namespacesOf(where: Grant['namespace']): readonly string[] {
  if (where === 'governed') return site.governed;
  if (where === 'probe') return [site.probe];
  return [where === 'install' ? site.install : where];
}

function grantedTo(identity: Identity): readonly Right[] {
  return grants
    .filter((grant) => grant.identity === identity)
    .flatMap(({ namespace, rules }) =>
      namespacesOf(namespace).flatMap((each) =>
        rules.flatMap(({ apiGroup, resource, verbs, resourceNamesFrom, ...limits }) => {
          const { resourceNames = resourceNamesFrom === undefined ? undefined : LISTED_SECRETS } = limits;
          const names = resourceNames === undefined ? {} : { resourceNames: [...resourceNames] };
          const rule = { apiGroups: [apiGroup], resources: [resource], verbs: [...verbs], ...names };
          return rightsOfRules(each, [rule]);
        }),
      ),
    );
}

/** Those of the rights to which the API server answers no. */
async function refused(access: Access, rights: readonly Right[]): Promise<readonly string[]> {
  const answers = await Promise.all(rights.map((right) => access.can(right)));
  return rights.filter((_, i) => answers[i] !== true).map(textOf);
}

async function expectLacking(identity: Identity, rights: readonly Right[]): Promise<void> {
  expect(await refused(person(identity).access, rights)).toEqual(rights.map(textOf));
  expect(await refused(administrator, rights)).toEqual([]);
}

describe.each(identities)('%s', (identity) => {
  it('holds in every namespace what the table says, what everybody holds, and nothing else', async () => {
    const granted = grantedTo(identity);
    for (const namespace of [...site.governed, site.install, site.probe, 'kube-system', 'kube-public', 'default']) {
      const own = textsOf(granted.filter((right) => right.namespace === namespace));
      const everybody = await nobody.holds(namespace);
      expect(own.filter((right) => everybody.includes(right))).toEqual([]);
      const held = await person(identity).access.holds(namespace);
      expect(held).toEqual([...own, ...everybody].sort());
    }
  });

  it('may do each thing that it was granted', async () => {
    const { access } = person(identity);
    const granted = grantedTo(identity);
    expect(granted.length).toBeGreaterThan(0);
    expect(await refused(access, granted)).toEqual([]);
  });

  it('may do none of it elsewhere, nor cluster-wide, nor to another name', async () => {
    const { access } = person(identity);
    const granted = grantedTo(identity);
    const elsewhere = ['default', 'kube-public', `${site.install}-not`].map((namespace) => ({ namespace }));
    const moved = granted.flatMap(({ namespace: _, ...right }) => [
      right,
      ...elsewhere.map((at) => ({ ...right, ...at })),
    ]);
    const renamed = granted
      .flatMap((right) => (right.name === undefined ? [] : [{ ...right, name: 'another' }]))
      .filter((right) => !granted.some((other) => includes(other, right)));
    expect(renamed.length).toBeGreaterThan(0);
    const asked: readonly Right[] = [...moved, ...renamed];
    expect(await refused(access, asked)).toEqual(asked.map(textOf));
  });
});

/** Beyond rbac/lacks.ts: what turns any small right into a large one. */
const neverGranted: readonly Omit<Right, 'namespace'>[] = [
  ...['get', 'create', 'update', 'patch', 'delete'].map((verb) => ({ apiGroup: '', resource: 'nodes/proxy', verb })),
  ...['users', 'groups'].map((resource) => ({ apiGroup: '', resource, verb: 'impersonate' })),
  ...['clusterroles', 'clusterrolebindings'].flatMap((resource) =>
    ['create', 'update', 'patch', 'escalate', 'bind'].map((verb) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      resource,
      verb,
    })),
  ),
];

function asked({ namespace, apiGroup, resource, verbs }: Lack): readonly Right[] {
  const where = namespace === 'cluster' ? [{}] : namespacesOf(namespace).map((name) => ({ namespace: name }));
  return where.flatMap((place) => verbs.map((verb) => ({ ...place, apiGroup, resource, verb })));
}

describe('what an identity lacks', () => {
  it.each(lacks.map((lack) => [`${lack.identity}: ${lack.resource} (${lack.namespace})`, lack] as const))(
    'is refused to it, and not to a cluster administrator: %s',
    async (_, lack) => {
      await expectLacking(lack.identity, asked(lack));
    },
  );

  it.each(identities)('%s: and everything that makes more of a small right', async (identity) => {
    await expectLacking(identity, neverGranted);
  });

  it('is served by this API server: a refusal of what does not exist would mean nothing', async () => {
    const served = await servedResources(site.admin);
    const known = [...lacks, ...neverGranted].filter(({ apiGroup }) => !isOfCrd(apiGroup));
    const unknown = known.filter(({ apiGroup, resource }) => !served.has(`${apiGroup}/${resource}`));
    expect(unknown.map(({ resource }) => resource)).toEqual(['users', 'groups']);
  });
});

/** Their CRDs come and go with other files; the names are checked against them by the tests of the charts and of the schemas. */
function isOfCrd(apiGroup: string): boolean {
  return apiGroup === 'agentplane.dev' || apiGroup === 'cilium.io';
}

describe('requests with the credentials of the operator', () => {
  const dryRun = '--dry-run=server';
  const floor = 'agentplane-floor';
  const table: readonly (readonly [refused: readonly string[], accepted: readonly string[]])[] = [
    [
      ['get', 'secrets'],
      ['get', 'networkpolicies'],
    ],
    [
      ['get', 'configmaps'],
      ['get', 'pods'],
    ],
    [
      ['annotate', 'serviceaccount', 'default', 'a=b', dryRun],
      ['annotate', 'networkpolicy', floor, 'a=b', dryRun],
    ],
    [
      ['delete', 'serviceaccount', 'default', dryRun],
      ['delete', 'networkpolicy', floor, dryRun],
    ],
    [
      ['create', 'token', 'default'],
      ['get', 'networkpolicy', floor],
    ],
    [
      ['create', 'rolebinding', 'more', '--clusterrole=admin', '--serviceaccount=a:b', dryRun],
      ['get', 'networkpolicy', floor],
    ],
    [
      ['run', 'pod', '--image=none', dryRun],
      ['get', 'pods'],
    ],
  ];

  it.each(table)('%j is forbidden, %j works, and works nowhere else', async (refused, accepted) => {
    const { kubectl } = person('agentplane-operator');
    const [governed] = site.governed;
    expect((await kubectl.try(...refused, '-n', governed)).stderr).toContain('is forbidden: User');
    await kubectl.run(...accepted, '-n', governed);
    expect((await kubectl.try(...accepted, '-n', 'default')).stderr).toContain('is forbidden: User');
  });
});
