/** Several releases on one cluster, and releases that Helm has to refuse: with a message that says what to change. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { Helm, HelmVersion } from '../support/helm.ts';
import { accessOf } from './support/chart-access.ts';
import { createInstaller, issueCertificates } from './support/chart-installer.ts';
import { liveObjects, resourceVersions } from './support/chart-live.ts';
import { release, rendered, tryRelease, uninstall } from './support/chart-release.ts';
import { type Right, rightsOfRoles } from './support/chart-rights.ts';
import { type ChartSite, chartSite, governing, HELM_VERSIONS } from './support/chart-site.ts';

function userOf(version: HelmVersion): string {
  return `chart-neighbour-${version}`;
}

beforeAll(() => issueCertificates(HELM_VERSIONS.map(userOf)));

/** Helm 3 and Helm 4 side by side, each with namespaces of its own. */
describe.each(HELM_VERSIONS)('with Helm %i', { concurrent: true }, (version) => {
  describe('a second release', { concurrent: false }, () => {
    let first: ChartSite;
    let second: ChartSite;
    let helm: Helm;
    let objects: readonly JsonMap[];

    beforeAll(async () => {
      first = await chartSite(`first-${version}`);
      second = await chartSite(`second-${version}`);
      helm = await first.helm(version);
      await release(helm, 'install', first.release);
      objects = await rendered(helm, first.release);
    });

    afterEach(() => uninstall(helm, second.release));

    afterAll(async () => {
      await uninstall(helm, first.release);
      await Promise.all([first.remove(), second.remove()]);
    });

    /** Of every object of the first release: equal exactly when none was written. */
    async function firstVersions(): Promise<Readonly<Record<string, string | undefined>>> {
      return resourceVersions(await liveObjects(first.kubectl, objects));
    }

    async function objectsIn(site: ChartSite): Promise<string> {
      const kinds = 'deployments,serviceaccounts,roles,rolebindings,networkpolicies,secrets';
      const labelled = ['-l', 'app.kubernetes.io/part-of=agentplane', '-o', 'name'];
      return site.kubectl.run('get', kinds, '-n', site.install, ...labelled);
    }

    it('two releases that govern different namespaces stand side by side: neither reaches the other', async () => {
      const before = await firstVersions();
      await release(helm, 'install', second.release);
      expect(await firstVersions()).toEqual(before);
      const operator = { kind: 'ServiceAccount', namespace: second.install, name: 'agentplane-operator' } as const;
      const access = accessOf(await second.controlPlane.kubeconfigFor(operator));
      const patch: Right = { apiGroup: 'networking.k8s.io', resource: 'networkpolicies', verb: 'patch' };
      await waitUntil('the second operator to hold its rights', { timeoutMs: 10_000, intervalMs: 50 }, () =>
        access.can({ ...patch, namespace: second.governed[0] }),
      );
      expect(await access.can({ ...patch, namespace: first.governed[0] })).toBe(false);
      await uninstall(helm, second.release);
      expect(await firstVersions()).toEqual(before);
    });

    it('a second release that names a governed namespace is refused before anything is written', async () => {
      const before = await firstVersions();
      const [governed] = first.governed;
      const intruder = { ...second.release, values: governing([second.governed[0], governed]) };
      const { code, stderr } = await tryRelease(helm, 'install', intruder);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(
        new RegExp(`NetworkPolicy "agentplane-floor" in namespace "${governed}" exists and cannot be imported`),
      );
      expect(stderr).toContain(`must equal "${second.install}": current value is "${first.install}"`);
      expect(await firstVersions()).toEqual(before);
      expect(await objectsIn(second)).toBe('');
      // Its twin: the same release without that namespace.
      await release(helm, 'install', { ...intruder, values: governing([second.governed[0]]) });
      expect(await objectsIn(second)).toContain('agentplane-operator');
    });

    it('an upgrade that reaches for a governed namespace is refused as well', async () => {
      await release(helm, 'install', second.release);
      const before = await firstVersions();
      const greedy = { ...second.release, values: governing([second.governed[0], first.governed[1]]) };
      const { code, stderr } = await tryRelease(helm, 'upgrade', greedy);
      expect(code).not.toBe(0);
      expect(stderr).toContain(`NetworkPolicy "agentplane-floor" in namespace "${first.governed[1]}" exists`);
      expect(await firstVersions()).toEqual(before);
    });

    it('a governed namespace that does not exist: the message names it', async () => {
      const missing = `chart-missing-${version}`;
      const { code, stderr } = await tryRelease(helm, 'install', {
        ...second.release,
        values: governing([second.governed[0], missing]),
      });
      expect(code).not.toBe(0);
      expect(stderr).toContain(`namespaces "${missing}" not found`);
      await first.kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: missing } }]);
      // What the message asks for is enough, without a cleanup before.
      await release(helm, 'upgrade', { ...second.release, values: governing([second.governed[0], missing]) });
      await first.kubectl.run('delete', 'namespace', missing, '--wait=false');
    });

    it('a namespace that its installer may not use, or that does not exist: the same message, before anything is written', async () => {
      const installer = await createInstaller(second, userOf(version));
      const own = await second.helm(version, installer.kubeconfigPath);
      await installer.grant(rightsOfRoles(await rendered(own, second.release)));
      for (const namespace of [first.governed[0], `chart-nowhere-${version}`]) {
        const { stderr } = await tryRelease(own, 'install', { ...second.release, values: governing([namespace]) });
        expect(stderr).toContain(
          `User "${installer.user}" cannot get resource "networkpolicies" in API group "networking.k8s.io" in the namespace "${namespace}"`,
        );
        expect(await objectsIn(second)).toBe('');
      }
      await release(own, 'install', second.release);
    });
  });
});
