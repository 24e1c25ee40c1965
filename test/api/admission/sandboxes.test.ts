/** Sandboxes of agent-sandbox: the rules for pods hold on their templates, so that their author hears it and not a controller's log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/lib/wait-for.ts';
import { PROFILE_LABEL } from '../../../src/api/meta.ts';
import type { ApiRequest, ApiUser } from '../../support/raw-api.ts';
import { SANDBOX_CRDS } from '../../support/sandbox-crds.ts';
import { type Broken, template } from './pod.ts';
import { type AdmissionSite, admissionSite, removePolicies, serviceAccount, TENANT } from './site.ts';

const GOVERNED = 'sandboxes';
const KINDS = {
  Sandbox: { group: 'agents.x-k8s.io', plural: 'sandboxes' },
  SandboxTemplate: { group: 'extensions.agents.x-k8s.io', plural: 'sandboxtemplates' },
} as const;
type Kind = keyof typeof KINDS;

/** Makes Sandboxes from templates for whoever claims one, and is listed for it. */
const CONTROLLER = serviceAccount('agent-sandbox-system', 'agent-sandbox-controller');
/** The same, and is not. */
const UNLISTED = serviceAccount('agent-sandbox-system', 'another');

let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED], values: { podControllers: [CONTROLLER.name] } });
  await site.kubectl.apply(SANDBOX_CRDS);
  const apiGroup = 'rbac.authorization.k8s.io';
  const groups = Object.values(KINDS);
  const metadata = { name: 'tenant-sandboxes', namespace: GOVERNED };
  await site.kubectl.apply([
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'Role',
      metadata,
      rules: groups.map(({ group, plural }) => ({
        apiGroups: [group],
        resources: [plural],
        verbs: ['create', 'patch'],
      })),
    },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: 'tenant-sandboxes' },
      subjects: [TENANT, CONTROLLER, UNLISTED].map(({ name }) => ({ apiGroup, kind: 'User', name })),
    },
  ]);
  await waitUntil('Sandboxes to be served', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
    return (await create('Sandbox', {})) === '' && (await create('SandboxTemplate', {})) === '';
  });
});

afterAll(async () => {
  await removePolicies(site);
  await site.kubectl.remove(SANDBOX_CRDS);
});

const pathOf = (kind: Kind, name = '') => {
  const { group, plural } = KINDS[kind];
  return `/apis/${group}/v1beta1/namespaces/${GOVERNED}/${plural}${name === '' ? '' : `/${name}`}`;
};

const objectOf = (kind: Kind, broken: Broken, spec: object) => ({
  apiVersion: `${KINDS[kind].group}/v1beta1`,
  kind,
  metadata: { name: 's', namespace: GOVERNED },
  spec: {
    podTemplate: template(broken),
    ...(kind === 'SandboxTemplate' ? { networkPolicyManagement: 'Unmanaged' } : {}),
    ...spec,
  },
});

/** What stands in the way; nothing where it would be made. */
async function create(kind: Kind, broken: Broken, spec: object = {}, as = TENANT): Promise<string> {
  return ask({ method: 'POST', path: `${pathOf(kind)}?dryRun=All`, body: objectOf(kind, broken, spec) }, as);
}

async function ask(request: ApiRequest, as: ApiUser = TENANT): Promise<string> {
  const { status, body } = await site.api(request, as);
  return status < 300 ? '' : String(body.message);
}

const RULES: readonly (readonly [what: string, broken: Broken, refused: RegExp])[] = [
  ['the network of the host', { spec: { hostNetwork: true } }, /hostNetwork, hostPID and hostIPC are not allowed/],
  ['a privileged container', { context: { privileged: true } }, /container agent: privileged is not allowed/],
  [
    'a volume of the host',
    { spec: { volumes: [{ name: 'd', hostPath: { path: '/' } }] } },
    /volume d: its type is not a/,
  ],
  ['a token', { spec: { automountServiceAccountToken: true } }, /automountServiceAccountToken to false/],
  ['a governed account without its label', { labels: {} }, /set the label agentplane.dev\/profile to research/],
  ['the label of another profile', { labels: { [PROFILE_LABEL]: 'other' } }, /label agentplane.dev\/profile/],
  ['another runtime class', { spec: { runtimeClassName: 'runc' } }, /spec.runtimeClassName must be sandboxed/],
  ['no lifetime', { spec: { activeDeadlineSeconds: null } }, /set activeDeadlineSeconds to 3600 or less/],
  [
    'an image that is not pinned',
    { container: { image: 'registry.example.com/agents/runner:v1' } },
    /digest is Required/,
  ],
  [
    'a Secret that is not bound',
    { container: { env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] } },
    /container agent, env: Secret other, key k/,
  ],
  [
    'a limit above that of the profile',
    { container: { resources: { limits: { cpu: 2, memory: '1Mi' } } } },
    /at or below/,
  ],
];

describe.each(Object.keys(KINDS) as Kind[])('a %s', (kind) => {
  it('that keeps to its profile is accepted', async () => {
    expect(await create(kind, {})).toBe('');
  });

  it.each(RULES)('with %s is refused', async (_, broken, refused) => {
    const said = await create(kind, broken);
    expect(said).toMatch(refused);
    expect(said).toContain(`${kind} s: `);
  });
});

describe('a Sandbox that a controller makes from a template', () => {
  it('is made for the author of the template, if the controller is listed', async () => {
    expect(await create('Sandbox', {}, {}, CONTROLLER)).toBe('');
    expect(await create('Sandbox', {}, {}, UNLISTED)).toMatch(/another may not use it: .* listed in podControllers/);
  });

  it('keeps to the profile all the same', async () => {
    const said = await create('Sandbox', { spec: { activeDeadlineSeconds: null } }, {}, CONTROLLER);
    expect(said).toMatch(/set activeDeadlineSeconds to 3600 or less/);
  });
});

describe('what a claim may add to a pod', () => {
  it('is said in the template by whoever may use the profile', async () => {
    const metadata = { name: 'claimed', namespace: GOVERNED };
    await site.kubectl.apply([{ ...objectOf('SandboxTemplate', {}, {}), metadata }]);
    const patch = (envVarsInjectionPolicy: string): ApiRequest => ({
      method: 'PATCH',
      path: `${pathOf('SandboxTemplate', metadata.name)}?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: { spec: { envVarsInjectionPolicy } },
    });
    expect(await ask(patch('Overrides'))).toBe('');
    expect(await ask(patch('Overrides'), UNLISTED)).toMatch(/SandboxTemplate claimed: .* may not use it/);
  });
});

describe('a Sandbox from before the policies', () => {
  it('can be suspended, and its template cannot get worse', async () => {
    const before = objectOf('Sandbox', { spec: { hostNetwork: true } }, {});
    const patch = (spec: object): ApiRequest => ({
      method: 'PATCH',
      path: pathOf('Sandbox', 's'),
      contentType: 'application/merge-patch+json',
      body: { spec },
    });
    await withoutPolicies(async () => site.kubectl.apply([before]));
    expect(await ask(patch({ operatingMode: 'Suspended' }))).toBe('');
    expect(await ask(patch({ podTemplate: { spec: { hostPID: true } } }))).toMatch(/hostNetwork, hostPID and hostIPC/);
  });
});

/** Made while the bindings are away, as if it had been there before them. */
async function withoutPolicies(make: () => Promise<unknown>): Promise<void> {
  await removePolicies(site);
  await make();
  site = await admissionSite({ governed: [GOVERNED], values: { podControllers: [CONTROLLER.name] } });
}

describe('a SandboxTemplate', () => {
  const to = (cidr: string) => ({ to: [{ ipBlock: { cidr } }] });

  it.each([
    [
      'nothing: its controller would open the internet',
      { networkPolicyManagement: 'Managed' },
      /networkPolicyManagement to Unmanaged/,
    ],
    [
      'ingress only',
      { networkPolicyManagement: 'Managed', networkPolicy: { ingress: [] } },
      /networkPolicyManagement to Unmanaged/,
    ],
    [
      'egress to everywhere',
      { networkPolicyManagement: 'Managed', networkPolicy: { egress: [{}] } },
      /may open neither every address/,
    ],
    [
      'egress to every address',
      { networkPolicyManagement: 'Managed', networkPolicy: { egress: [to('0.0.0.0/0')] } },
      /may open neither every address/,
    ],
    [
      'egress to every address of IPv6',
      { networkPolicyManagement: 'Managed', networkPolicy: { egress: [to('10.0.0.0/8'), to('::/0')] } },
      /may open neither every address/,
    ],
  ])('that says of its network %s is refused', async (_, spec, refused) => {
    expect(await create('SandboxTemplate', {}, spec)).toMatch(refused);
  });

  it.each([
    ['Unmanaged', { networkPolicyManagement: 'Unmanaged' }],
    ['no egress', { networkPolicyManagement: 'Managed', networkPolicy: { egress: [] } }],
    ['some addresses', { networkPolicyManagement: 'Managed', networkPolicy: { egress: [to('203.0.113.0/24')] } }],
  ])('that says of its network %s is accepted', async (_, spec) => {
    expect(await create('SandboxTemplate', {}, spec)).toBe('');
  });
});
