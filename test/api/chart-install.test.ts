/**
 * Kubernetes lets nobody grant what they do not hold, so installing the chart takes rights. These tests prove which: the
 * role `admin` of the namespaces and the rights of the chart's own Roles, nothing else, and not one of them less.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants } from '../../rbac/rules.ts';
import { metadataOf, ofKind } from '../chart/support/objects.ts';
import type { Helm, HelmVersion } from '../support/helm.ts';
import {
  type Covered,
  coveredRights,
  createInstaller,
  type Installer,
  issueCertificates,
} from './support/chart-installer.ts';
import { release, rendered, tryRelease, uninstall } from './support/chart-release.ts';
import { includes, type Right, rightsNotHeld, rightsOfRoles, textOf, textsOf } from './support/chart-rights.ts';
import { type ChartSite, chartSite, HELM_VERSIONS, LISTED_SECRETS } from './support/chart-site.ts';

/** The rights to remove are those of the table: that the chart renders exactly these is a test of the charts. */
const questions = grants
  .filter((grant) => grant.chart === 'agentplane')
  .flatMap(({ namespace, rules }) =>
    rules.flatMap(({ apiGroup, resource, verbs, resourceNames, resourceNamesFrom }) =>
      verbs.flatMap((verb) =>
        // Names that a value lists are those that the site lists.
        (resourceNames ?? (resourceNamesFrom === undefined ? [undefined] : LISTED_SECRETS)).map((name) => ({
          where: namespace,
          apiGroup,
          resource,
          verb,
          ...(name === undefined ? {} : { name }),
        })),
      ),
    ),
  );

type Question = (typeof questions)[number];

/** The message is the API server's: every right is asked for with the first Helm, and with the others one of each namespace. */
function questionsFor(version: HelmVersion): readonly Question[] {
  if (version === HELM_VERSIONS[0]) return questions;
  const probes = ['ciliumnetworkpolicies', 'capabilityreports'];
  return questions.filter(({ resource, verb }) => verb === 'create' && probes.includes(resource));
}

function userOf(version: HelmVersion): string {
  return `chart-installer-${version}`;
}

beforeAll(() => issueCertificates(HELM_VERSIONS.map(userOf)));

/** Helm 3 and Helm 4 side by side, each with namespaces and a user of its own. */
describe.each(HELM_VERSIONS)('with Helm %i', { concurrent: true }, (version: HelmVersion) => {
  describe('installing agentplane as admin of the namespaces', { concurrent: false }, () => {
    let site: ChartSite;
    let installer: Installer;
    let helm: Helm;
    /** What the Roles of the chart grant. */
    let granted: readonly Right[];
    let covered: readonly Covered[];
    /** What has to be given beside `admin`: `granted` without `covered`. */
    let needed: readonly Right[];

    beforeAll(async () => {
      site = await chartSite(`rights-${version}`);
      installer = await createInstaller(site, userOf(version));
      helm = await site.helm(version, installer.kubeconfigPath);
      granted = rightsOfRoles(await rendered(helm, site.release));
      covered = await coveredRights(installer, granted);
      needed = granted.filter((right) => !covered.some((each) => each.right === right));
    });

    afterAll(() => site.remove());

    /** The last governed namespace: the first one may be looked at before anything is written. */
    function rightOf({ where, ...right }: Question): Right {
      const places: Readonly<Record<string, string>> = { install: site.install, probe: site.probe };
      return { ...right, namespace: places[where] ?? site.governed[1] };
    }

    async function leftovers(): Promise<readonly string[]> {
      const kinds = 'deployments,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,secrets';
      const labelled = ['-l', 'app.kubernetes.io/part-of=agentplane', '-o', 'name'];
      const lists = await Promise.all(
        [site.install, ...site.governed, site.probe].map((namespace) =>
          site.kubectl.run('get', kinds, '-n', namespace, ...labelled),
        ),
      );
      return lists.flatMap((text) => text.split('\n').filter((line) => line !== ''));
    }

    it('takes what the Roles grant: installs, upgrades and uninstalls with that, and leaves nothing', async ({
      onTestFinished,
    }) => {
      await installer.grant(granted);
      onTestFinished(() => uninstall(helm, site.release));
      await release(helm, 'install', site.release);
      const wider = { ...site.release, values: { ...site.release.values, operator: { replicas: 2, workers: 8 } } };
      await release(helm, 'upgrade', wider);
      const objects = await rendered(helm, wider);
      expect(await leftovers()).toHaveLength(objects.length);
      const [budget] = ofKind(objects, 'PodDisruptionBudget');
      expect(budget && metadataOf(budget).name).toBe('agentplane-operator');
      await uninstall(helm, site.release);
      expect(await leftovers()).toEqual([]);
    });

    it('takes no right beyond these namespaces', async () => {
      await installer.grant(granted);
      const beyond: readonly Omit<Right, 'namespace'>[] = [
        { apiGroup: '', resource: 'namespaces', verb: 'list' },
        { apiGroup: '', resource: 'namespaces', verb: 'create' },
        { apiGroup: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verb: 'get' },
        { apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterroles', verb: 'create' },
      ];
      for (const right of beyond) expect(await installer.access.can(right), textOf(right)).toBe(false);
      const create = { apiGroup: 'rbac.authorization.k8s.io', resource: 'roles', verb: 'create' };
      expect(await installer.access.can({ ...create, namespace: 'kube-system' })).toBe(false);
      expect(await installer.access.can({ ...create, namespace: site.install })).toBe(true);
    });

    it('takes less where admin or another right covers it: the rest is enough', async ({
      annotate,
      onTestFinished,
    }) => {
      await annotate(`needed beside admin: ${textsOf(needed).join(', ')}`);
      expect(needed.length).toBeGreaterThan(0);
      await installer.grant(needed);
      const answers = await Promise.all(covered.map(({ right }) => installer.access.can(right)));
      expect(covered.filter((_, i) => answers[i] !== true)).toEqual([]);
      onTestFinished(() => uninstall(helm, site.release));
      await release(helm, 'install', site.release);
      await release(helm, 'upgrade', site.release);
    });

    it.for(
      questionsFor(version).map((question) => [textOf({ ...question, namespace: question.where }), question] as const),
    )('without %s: Helm names it, unless it is covered', async ([, question], { annotate, onTestFinished }) => {
      const right = rightOf(question);
      const cover = covered.find((each) => textOf(each.right) === textOf(right));
      if (cover !== undefined) {
        await annotate(`not needed: covered by ${cover.by}`);
        return;
      }
      await installer.grant(needed.filter((other) => textOf(other) !== textOf(right)));
      onTestFinished(() => uninstall(helm, site.release));
      const { code, stderr } = await tryRelease(helm, 'install', site.release);
      expect(code).not.toBe(0);
      // A narrower right that this one covered is missing as well, and nothing else is.
      const missing = granted.filter((other) => other.namespace === right.namespace && includes(right, other));
      expect(textsOf(rightsNotHeld(stderr))).toEqual(textsOf(missing.map(clusterWide)));
    });
  });
});

/** An error message of the API server does not say where. */
function clusterWide({ namespace: _, ...right }: Right): Right {
  return right;
}
