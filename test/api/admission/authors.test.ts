/** What an author has to be allowed to do himself: to use a profile, to pause a policy, to read a Secret that he binds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { PROFILE_LABEL } from '../../../src/api/meta.ts';
import { ACCOUNT, API, PROFILE, policy } from '../../support/policies.ts';
import type { ApiRequest, ApiUser } from '../../support/raw-api.ts';
import { IMAGE, pod, template } from './pod.ts';
import {
  type AdmissionSite,
  admissionSite,
  OTHER_ACCOUNT,
  OTHER_PROFILE,
  removePolicies,
  serviceAccount,
} from './site.ts';

const GOVERNED = 'authors';
/** May use the profile `other`, and nothing else beside `edit`. */
const AUTHOR: ApiUser = { name: 'author', groups: ['system:authenticated'] };
/** Makes pods for others, and is listed for it. */
const CONTROLLER = serviceAccount('agent-sandbox-system', 'agent-sandbox-controller');
/** The same, and is not. */
const UNLISTED = serviceAccount('kube-system', 'some-controller');
/** Pauses policies, and reads one Secret. */
const LEAD: ApiUser = { name: 'lead', groups: ['system:authenticated'] };
let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED], values: { podControllers: [CONTROLLER.name] } });
  const policyWriter = {
    apiGroups: ['agentplane.dev'],
    resources: ['egresspolicies', 'secretbindings'],
    verbs: ['create', 'patch'],
  };
  const named = (resources: string, name: string, verb: string, group = 'agentplane.dev') => ({
    apiGroups: [group],
    resources: [resources],
    resourceNames: [name],
    verbs: [verb],
  });
  await site.kubectl.apply([
    ...grant('author', AUTHOR, [policyWriter, named('runtimeprofiles', OTHER_PROFILE, 'use')]),
    ...grant('lead', LEAD, [
      policyWriter,
      named('egresspolicies', 'mine', 'pause'),
      named('secrets', 'model-key', 'get', ''),
    ]),
    ...[CONTROLLER, UNLISTED, AUTHOR].flatMap((user, index) =>
      grant(`makes-pods-${index}`, user, [
        { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
        { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs: ['create'] },
        { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: ['create'] },
      ]),
    ),
  ]);
  await waitFor('the rights to be known', { timeoutMs: 10_000, intervalMs: 100 }, async () => {
    const said = await post(`/api/v1/namespaces/${GOVERNED}/pods`, podOfOther, AUTHOR);
    return said === '' ? { done: true, value: undefined } : { done: false, saw: said };
  });
});

afterAll(() => removePolicies(site));

function grant(name: string, user: ApiUser, rules: readonly object[]): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name, namespace: GOVERNED };
  return [
    { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [{ apiGroup, kind: 'User', name: user.name }],
    },
  ];
}

/** What stood in the way; nothing where the object would be made. */
async function ask(request: ApiRequest, as: ApiUser): Promise<string> {
  const { status, body } = await site.api(request, as);
  return status < 300 ? '' : String(body.message);
}

const post = (path: string, body: object, as: ApiUser) => ask({ method: 'POST', path: `${path}?dryRun=All`, body }, as);

const podOfOther = pod(GOVERNED, 'p', {
  spec: { serviceAccountName: OTHER_ACCOUNT },
  labels: { [PROFILE_LABEL]: OTHER_PROFILE },
});
const pods = `/api/v1/namespaces/${GOVERNED}/pods`;

describe('the verb "use" on a RuntimeProfile', () => {
  it('lets its holder make a pod of that profile, and of no other', async () => {
    expect(await post(pods, podOfOther, AUTHOR)).toBe('');
    expect(await post(pods, pod(GOVERNED, 'p'), AUTHOR)).toMatch(
      /RuntimeProfile research: author may not use it: grant the verb "use" on it/,
    );
  });

  it('is not asked of a controller that the platform admin lists', async () => {
    expect(await post(pods, pod(GOVERNED, 'p'), CONTROLLER)).toBe('');
  });

  const workload = (kind: string, group: string, account: string) => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: 'w', namespace: GOVERNED },
    spec: workloadSpec(kind, account),
  });

  const make = (kind: string, group: string, account: string, as: ApiUser) =>
    post(`/apis/${group}/v1/namespaces/${GOVERNED}/${kind.toLowerCase()}s`, workload(kind, group, account), as);

  it.each([
    ['ReplicaSet', 'apps'],
    ['Job', 'batch'],
  ])('is not asked of a listed controller for the %s on the way to a pod', async (kind, group) => {
    expect(await make(kind, group, ACCOUNT, CONTROLLER)).toBe('');
    expect(await make(kind, group, ACCOUNT, UNLISTED)).toMatch(
      new RegExp(`${kind} w: RuntimeProfile research: ${UNLISTED.name} may not use it: .* listed in podControllers`),
    );
  });

  it.each([
    ['Deployment', 'apps'],
    ['CronJob', 'batch'],
  ])('is asked of whoever writes a %s, since its pods are made by somebody else', async (kind, group) => {
    expect(await make(kind, group, OTHER_ACCOUNT, AUTHOR)).toBe('');
    expect(await make(kind, group, ACCOUNT, AUTHOR)).toMatch(
      new RegExp(`${kind} w: RuntimeProfile research: author may not use it`),
    );
  });
});

function workloadSpec(kind: string, serviceAccountName: string): object {
  const ends = kind === 'CronJob' || kind === 'Job';
  const podTemplate = {
    metadata: { labels: { app: 'w' } },
    spec: {
      serviceAccountName,
      restartPolicy: ends ? 'Never' : 'Always',
      containers: [{ name: 'w', image: IMAGE }],
    },
  };
  if (kind === 'CronJob') return { schedule: '0 0 * * *', jobTemplate: { spec: { template: podTemplate } } };
  if (kind === 'Job') return { template: podTemplate };
  return { selector: { matchLabels: { app: 'w' } }, template: podTemplate };
}

describe('the verb "pause" on an EgressPolicy', () => {
  const path = `/apis/agentplane.dev/v1alpha1/namespaces/${GOVERNED}/egresspolicies`;
  const pause = { reason: 'maintenance', until: '2030-01-01T00:00:00Z' };

  it('lets its holder pause that policy, and no other', async () => {
    expect(await post(path, policy(GOVERNED, 'mine', { pause }), LEAD)).toBe('');
    expect(await post(path, policy(GOVERNED, 'other', { pause }), LEAD)).toMatch(
      /EgressPolicy other: lead may not pause it: grant the verb "pause" on it/,
    );
  });

  it('is needed for a pause only', async () => {
    expect(await post(path, policy(GOVERNED, 'mine', {}), AUTHOR)).toBe('');
    expect(await post(path, policy(GOVERNED, 'mine', { pause }), AUTHOR)).toMatch(/author may not pause it/);
  });

  it('is not needed to change the rest of a policy that is paused', async () => {
    await site.kubectl.apply([policy(GOVERNED, 'paused', { pause, profileRef: { name: 'nobody' } })]);
    const patch = (spec: object): ApiRequest => ({
      method: 'PATCH',
      path: `${path}/paused?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: { spec },
    });
    expect(await ask(patch({ onRefusal: 'DenyAll' }), AUTHOR)).toBe('');
    expect(await ask(patch({ pause: { until: '2031-01-01T00:00:00Z' } }), AUTHOR)).toMatch(/author may not pause it/);
  });
});

describe('a SecretBinding', () => {
  const path = `/apis/agentplane.dev/v1alpha1/namespaces/${GOVERNED}/secretbindings`;
  const binding = (secret: string) => ({
    apiVersion: API,
    kind: 'SecretBinding',
    metadata: { name: 'b', namespace: GOVERNED },
    spec: { profileRef: { name: PROFILE }, secretRef: { name: secret }, keys: ['token'], exposure: 'AgentReadable' },
  });

  it('hands out what its author can read himself, and no more', async () => {
    expect(await post(path, binding('model-key'), LEAD)).toBe('');
    expect(await post(path, binding('other'), LEAD)).toMatch(
      /SecretBinding b: lead may not read Secret other, and so may not bind it/,
    );
    expect(await post(path, binding('model-key'), AUTHOR)).toMatch(/author may not read Secret model-key/);
  });
});

describe('a template', () => {
  it('is not a way around: the pods of a listed controller keep to the profile as well', async () => {
    const broken = { ...pod(GOVERNED, 'p'), spec: template({ spec: { activeDeadlineSeconds: null } }).spec };
    expect(await post(pods, broken, CONTROLLER)).toMatch(/set activeDeadlineSeconds to 3600 or less/);
  });
});
