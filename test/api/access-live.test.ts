/** `rbac-report --live`: what a cluster grants now is what the table of rights says, and what somebody adds is found. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Grant, grants } from '../../rbac/rules.ts';
import type { IdentityAccess } from '../../src/access/report.ts';
import { buildCli, type Cli } from '../support/cli.ts';
import { INSTALL_NAMESPACE, type Installation, install } from './support/installation.ts';

const namespace = 'access-live';
const GROUP = 'rbac.authorization.k8s.io';
let site: Installation;
let cli: Cli;

beforeAll(async () => {
  [site, cli] = await Promise.all([install([namespace], { holdsProfiles: true, secrets: ['model-key'] }), buildCli()]);
});

afterAll(async () => {
  await site.kubectl.run('delete', 'clusterrolebinding', 'access-live', 'access-live-group', '--ignore-not-found');
  await cli.remove();
});

const report = (...args: readonly string[]) =>
  cli.run(['rbac-report', '--live', '--kubeconfig', site.kubectl.kubeconfigPath, ...args]);

async function operator(): Promise<IdentityAccess | undefined> {
  const { stdout } = await report('-n', INSTALL_NAMESPACE, '-o', 'json');
  const { identities } = JSON.parse(stdout) as { identities: readonly IdentityAccess[] };
  return identities.find(({ name }) => name === 'agentplane-operator');
}

/** `namespace: verb resource.group`, one for each right. */
function rightsOf(rows: IdentityAccess['access']): readonly string[] {
  return rows
    .flatMap((row) => row.verbs.map((verb) => `${row.namespace}: ${verb} ${row.resources}.${row.apiGroups}`))
    .sort();
}

function expectedRights(): readonly string[] {
  const places: Partial<Record<Grant['namespace'], string>> = { governed: namespace, install: INSTALL_NAMESPACE };
  return grants
    .filter(({ identity }) => identity === 'agentplane-operator')
    .flatMap((grant) =>
      grant.rules.flatMap(({ verbs, resource, apiGroup }) =>
        verbs.map((verb) => `${places[grant.namespace]}: ${verb} ${resource}.${apiGroup}`),
      ),
    )
    .sort();
}

describe('a cluster', () => {
  it('grants the operator what the table says, each with its reason, and nothing dangerous', async () => {
    const found = await operator();
    // Roles of other installs of this control plane name accounts of other namespaces.
    const own = found?.access.filter((row) => row.namespace === namespace || row.namespace === INSTALL_NAMESPACE) ?? [];
    expect(rightsOf(own)).toEqual(expectedRights());
    expect(own.filter(({ why }) => why === null)).toEqual([]);
    expect(found?.lacks).toContain('SecretsListed');
    expect((await report('-n', INSTALL_NAMESPACE)).code).toBe(0);
  });

  it('is found to grant more once somebody adds it, through a role that the cluster collects', async () => {
    await site.kubectl.apply([
      {
        apiVersion: `${GROUP}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'access-live' },
        roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'edit' },
        subjects: [{ kind: 'ServiceAccount', name: 'agentplane-operator', namespace: INSTALL_NAMESPACE }],
      },
    ]);
    const found = await operator();
    const ids = found?.findings.filter(({ severity }) => severity === 'High').map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['SecretsListed', 'Impersonate', 'TokensMade', 'PodsEntered']));
    expect(found?.lacks).not.toContain('SecretsListed');
    expect((await report('-n', INSTALL_NAMESPACE)).code).toBe(2);
    expect((await report('-n', INSTALL_NAMESPACE, '--fail-on', 'never')).code).toBe(0);
  });

  it('is found to grant what the groups of the accounts have', async () => {
    const bound = (subject: string) => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'access-live-group' },
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: GROUP, kind: 'Group', name: subject }],
    });
    const groups = async () => {
      const { code, stdout } = await report('-n', INSTALL_NAMESPACE, '--fail-on', 'High', '-o', 'json');
      const { identities } = JSON.parse(stdout) as { identities: readonly IdentityAccess[] };
      return { code, groups: identities.filter(({ kind }) => kind === 'Group').map(({ name }) => name) };
    };
    await site.kubectl.run('delete', 'clusterrolebinding', 'access-live', '--ignore-not-found');
    await site.kubectl.apply([bound('system:serviceaccounts:nowhere')]);
    expect(await groups()).toEqual({ code: 0, groups: [] });
    await site.kubectl.apply([bound(`system:serviceaccounts:${INSTALL_NAMESPACE}`)]);
    expect(await groups()).toEqual({ code: 2, groups: [`system:serviceaccounts:${INSTALL_NAMESPACE}`] });
    // Else every account of the namespace may see all.
    await site.kubectl.run('delete', 'clusterrolebinding', 'access-live-group');
  });

  it('of which somebody may not see all has no report, and the right is named', async () => {
    const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: 'agentplane-inventory' } as const;
    const kubeconfig = await site.controlPlane.kubeconfigFor(account);
    const { code, stdout, stderr } = await cli.run(['rbac-report', '--live', '--kubeconfig', kubeconfig]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/you may not list \S+ in all namespaces: ask for the verb "list" on it/);
  });

  it('has no account in a namespace that does not exist', async () => {
    expect(await report('-n', 'nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no ServiceAccount in namespace nowhere'),
    });
  });
});
