/**
 * The API server asks its admission policies from memory, and takes each change in as it hears of it. It hears in order: once a
 * policy and a binding that were made last hold, so does everything that was made before them, and what was deleted is gone.
 */
import { waitFor } from '../../scripts/lib/wait-for.ts';
import type { Kubectl } from './kubectl.ts';

const GROUP = 'admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
let rounds = 0;

/** Waits until the API server judges by the admission policies as they are stored now. */
export async function admissionSettled(kubectl: Kubectl): Promise<void> {
  rounds += 1;
  const name = `settled-${process.pid}-${rounds}`;
  const objects = sentinel(name);
  await kubectl.apply(objects);
  await waitFor('the admission policies to be in force', { timeoutMs: 30_000, intervalMs: 50 }, async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    const answer = await kubectl.request({ method: 'POST', path: `${CONFIG_MAPS}?dryRun=All`, body });
    if (String(answer.body.message).includes(`denied request: ${name}`)) return { done: true, value: undefined };
    return { done: false, saw: answer.status < 300 ? 'accepted' : JSON.stringify(answer.body) };
  });
  await kubectl.remove(objects);
}

/** Refuses one ConfigMap, which is never stored. */
function sentinel(name: string): readonly object[] {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const metadata = { name };
  return [
    {
      apiVersion: GROUP,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules },
        matchConditions: [{ name: 'is-the-one', expression: `object.metadata.name == '${name}'` }],
        validations: [{ expression: 'false', message: name }],
      },
    },
    {
      apiVersion: GROUP,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}
