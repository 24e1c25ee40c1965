/** A roll-out: with WarnAndAudit what breaks a rule passes, also in a namespace that has no profile yet. */
import { afterAll, beforeAll, it } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { applyCharts } from '../../support/claimed-charts.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { kubectlFor } from '../../support/kubectl.ts';
import { ACCOUNT } from '../../support/policies.ts';
import { rawApi } from '../../support/raw-api.ts';
import { pod, RUNTIME_CLASS } from './pod.ts';
import { type AdmissionSite, INSTALL_NAMESPACE, removePolicies } from './site.ts';

const GOVERNED = 'roll-out';
let site: AdmissionSite;

beforeAll(async () => {
  const { kubectl, kubeconfigPath } = controlPlaneOfWorker();
  site = { kubectl: kubectlFor(kubectl, kubeconfigPath), api: await rawApi(kubeconfigPath) };
  await applyCharts(site.kubectl, { installNamespace: INSTALL_NAMESPACE, governedNamespaces: [GOVERNED] });
  await site.kubectl.apply([
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: RUNTIME_CLASS }, handler: 'none' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: GOVERNED } },
  ]);
});

afterAll(() => removePolicies(site));

async function enforce(enforcement: 'Deny' | 'WarnAndAudit'): Promise<void> {
  await applyCharts(site.kubectl, {
    installNamespace: INSTALL_NAMESPACE,
    governedNamespaces: [GOVERNED],
    admission: { namespaces: [GOVERNED], values: { enforcement } },
  });
}

/** What stands in the way of a pod; nothing where it is admitted. */
async function refusal(): Promise<string> {
  const path = `/api/v1/namespaces/${GOVERNED}/pods?dryRun=All`;
  const { status, body } = await site.api({ method: 'POST', path, body: pod(GOVERNED, 'p') });
  return status === 201 ? '' : String(body.message);
}

/** The API server follows its policies by a watch of its own. */
function eventually(expected: RegExp): Promise<void> {
  return waitFor(`a pod to meet ${expected}`, { timeoutMs: 20_000, intervalMs: 50 }, async () => {
    const said = await refusal();
    return expected.test(said)
      ? { done: true, value: undefined }
      : { done: false, saw: said === '' ? 'admitted' : said };
  });
}

it('admits a pod where no profile is yet, which Deny does not', async () => {
  await enforce('Deny');
  await eventually(/no params found/);
  await enforce('WarnAndAudit');
  await eventually(/^$/);
});
