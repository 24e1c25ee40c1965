import { describe, expect, it } from 'vitest';
import type { Json, JsonMap } from '../../constructs/expr/json.ts';
import { chartFolder, helmTemplate } from './support/helm.ts';
import { helms } from './support/tools.ts';

/** Values that have to be refused, with the words that the refusal has to contain: the field, above all. */
const release = { name: 'agentplane', namespace: 'agentplane-system' };
const governed = (item: JsonMap): JsonMap => ({ governedNamespaces: [item] });
const probe = (more: JsonMap): JsonMap => ({ probe: { enabled: true, namespace: 'canaries', ...more } });

const apiServer = (...addresses: string[]): JsonMap => ({ apiServer: { addresses } });
/** What no policy may open. */
const neverOpened = [
  ...['169.254.169.254', '169.254.0.0', '127.0.0.1', '100.100.100.200', '168.63.129.16', '2002:a9fe:a9fe::1'],
  ...['fd00:ec2::254', 'fd00:ec2:0:0:0:0:0:254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'],
];
/** Of the host itself, its link, of groups, of nobody; translated; with zeros that begin a group. */
const noServer = [
  ...[
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0::',
    '0:0:0:0:0:0:0:1',
    'fe80::1',
    'febf::1',
    'fec0::1',
  ],
  ...[
    'ff02::1',
    '64:ff9b::a9fe:a9fe',
    '::ffff:10.0.0.1',
    '2::1',
    'fd0::1',
    'fc::1',
    '1fff::1',
    '4000::1',
    '2001:0db8::1',
  ],
];

const refused: readonly (readonly [name: string, values: JsonMap, field: string])[] = [
  ['an unknown key', { operater: {} }, 'operater'],
  ['an unknown nested key', { operator: { replica: 2 } }, 'replica'],
  ['no replica', { operator: { replicas: 0 } }, 'replicas'],
  ['too many replicas', { operator: { replicas: 6 } }, 'replicas'],
  ['half a replica', { operator: { replicas: 1.5 } }, 'replicas'],
  ['a string for an integer', { operator: { workers: '4' } }, 'workers'],
  ['a default deleted with null', { operator: { workers: null } }, 'workers'],
  ['a whole section deleted with null', { operator: null }, 'operator'],
  ['a log level that does not exist', { operator: { logLevel: 'trace' } }, 'logLevel'],
  ['a boolean as a string', { cilium: { enabled: 'true' } }, 'enabled'],
  ['a namespace with capitals', governed({ name: 'Agents' }), 'governedNamespaces'],
  ['a namespace that is too long', governed({ name: 'a'.repeat(64) }), 'governedNamespaces'],
  ['a namespace without a name', governed({ floor: 'AllPods' }), 'name'],
  ['a namespace as a string', { governedNamespaces: ['agents'] }, 'governedNamespaces'],
  ['a floor that does not exist', governed({ name: 'agents', floor: 'None' }), 'floor'],
  ['a misspelt key of a namespace', governed({ name: 'agents', flor: 'AllPods' }), 'flor'],
  ['a digest without its algorithm', { image: { digest: 'a'.repeat(64) } }, 'digest'],
  ['a tag with a space', { image: { tag: '1.0 0' } }, 'tag'],
  ['a repository with a tag in it', { image: { repository: 'example.com/agentplane:dev' } }, 'repository'],
  ['a pull policy that does not exist', { image: { pullPolicy: 'Sometimes' } }, 'pullPolicy'],
  ['a provider that does not exist', { inventory: { provider: 'calico' } }, 'provider'],
  ['an interval that hammers the API server', { inventory: { intervalSeconds: 1 } }, 'intervalSeconds'],
  ['a block where an address is meant', { apiServer: { addresses: ['10.0.0.0/8'] } }, 'addresses'],
  ['half an IPv6 address', { apiServer: { addresses: [':a:'] } }, 'addresses'],
  ...noServer.map((address): [string, JsonMap, string] => [
    `${address} as the API server, which it cannot be`,
    apiServer(address),
    'addresses',
  ]),
  ...neverOpened.flatMap((address): [string, JsonMap, string][] => [
    [`${address} as the API server`, apiServer(address), 'apiServer.addresses: '],
    [`${address} beside the API server`, apiServer('203.0.113.1', address), 'apiServer.addresses: '],
  ]),
  ['port zero', { apiServer: { port: 0 } }, 'port'],
  [
    'a resolver without labels, which would be every pod',
    { inventory: { dns: { podLabels: { 'k8s-app': null } } } },
    'podLabels',
  ],
  ['an empty peer, which would mean everybody', { networkPolicy: { metricsFrom: [{}] } }, 'metricsFrom'],
  ['a pull secret listed twice', { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }, 'imagePullSecrets'],
  ['a label that selects our own pods', { podLabels: { 'app.kubernetes.io/name': 'x' } }, 'podLabels'],
  ['the label of a governed pod', { podLabels: { 'agentplane.dev/profile': 'x' } }, 'podLabels'],
  ['a label value with a space', { podLabels: { team: 'a b' } }, 'team'],
  ['a quantity that is a number', { operator: { resources: { limits: { cpu: 1 } } } }, 'cpu'],
  ['a resource section that does not exist', { operator: { resources: { limit: {} } } }, 'limit'],
  ['an effect that does not exist', { tolerations: [{ operator: 'Exists', effect: 'Never' }] }, 'effect'],
  ['a scrape interval without a unit', { serviceMonitor: { interval: '30' } }, 'interval'],
  [
    'a namespace listed twice',
    { governedNamespaces: [{ name: 'a' }, { name: 'a', floor: 'GovernedPods' }] },
    'governedNamespaces',
  ],
  [
    'the release namespace under admission',
    { ...governed({ name: 'agentplane-system', floor: 'GovernedPods' }), admission: { enabled: true } },
    '"agentplane-system" is the namespace of this release',
  ],
  ['the release namespace behind the floor', governed({ name: 'agentplane-system' }), 'floor: GovernedPods'],
  ['a namespace of the cluster', governed({ name: 'kube-system' }), 'kube-system'],
  ['a probe without a namespace of its own', probe({ namespace: '' }), 'probe.namespace'],
  ['a probe in the namespace of the release', probe({ namespace: 'agentplane-system' }), 'run them as the operator'],
  ['a probe in a governed namespace', { ...governed({ name: 'canaries' }), ...probe({}) }, '"canaries" is governed'],
  ['a probe in a namespace of the cluster', probe({ namespace: 'kube-system' }), 'for the probe alone'],
  ['results that expire between two runs', probe({ intervalSeconds: 900, expirySeconds: 900 }), 'expirySeconds'],
  [
    'reports that are stale before the next one comes',
    { inventory: { intervalSeconds: 121 } },
    'operator.reportMaxAgeSeconds: reports would count as stale',
  ],
  ['one name for both', probe({ targets: { names: { allowed: 'a.example.com', denied: 'a.example.com' } } }), 'names'],
  ['an address where a name is meant', probe({ targets: { names: { allowed: '203.0.113.1' } } }), 'allowed'],
  ['a name where an address is meant', probe({ targets: { ipv4: { allowed: 'a.example.com' } } }), 'allowed'],
];

/** Of every chart: the field that has them, the key, and its value. The refusal names both. */
const refusedCommon: readonly (readonly [name: string, field: string, key: string, value: Json])[] = [
  ['a label that selects', 'commonLabels', 'app.kubernetes.io/name', 'x'],
  ['the label by which the operator knows its own', 'commonLabels', 'app.kubernetes.io/managed-by', 'agentplane'],
  ['the label of the chart', 'commonLabels', 'helm.sh/chart', 'x'],
  ['the label of a governed pod', 'commonLabels', 'agentplane.dev/profile', 'x'],
  ['a label that adds roles to others', 'commonLabels', 'rbac.authorization.k8s.io/aggregate-to-admin', 'true'],
  ['a label key with a space', 'commonLabels', 'cost center', 'x'],
  ['a label key that ends in a dash', 'commonLabels', 'team-', 'x'],
  ['a label key of 64 characters', 'commonLabels', 'a'.repeat(64), 'x'],
  ['a label key with a prefix of 254 characters', 'commonLabels', `${'a'.repeat(254)}/team`, 'x'],
  ['a label key with capitals in its prefix', 'commonLabels', 'Example.com/team', 'x'],
  ['a label value with a space', 'commonLabels', 'team', 'a b'],
  ['a label value of 64 characters', 'commonLabels', 'team', 'a'.repeat(64)],
  ['a label value that is a number', 'commonLabels', 'cost-center', 4711],
  ['a label value that is a boolean', 'commonLabels', 'managed', true],
  ['a set of kubectl that prunes', 'commonLabels', 'applyset.kubernetes.io/part-of', 'x'],
  ['the mark of ownership of Argo CD', 'commonLabels', 'argocd.argoproj.io/instance', 'x'],
  ['a character that YAML cannot hold', 'commonAnnotations', 'note', 'a\u0085b'],
  ['a character that is none', 'commonAnnotations', 'note', '\ufffe'],
  ['a hook', 'commonAnnotations', 'helm.sh/hook', 'pre-install'],
  ['a hook of Argo CD', 'commonAnnotations', 'argocd.argoproj.io/hook', 'Sync'],
  ['how a hook of Argo CD is deleted', 'commonAnnotations', 'argocd.argoproj.io/hook-delete-policy', 'HookSucceeded'],
  ['what the API server does to roles', 'commonAnnotations', 'rbac.authorization.kubernetes.io/autoupdate', 'true'],
  ['what decides over removal', 'commonAnnotations', 'helm.sh/resource-policy', 'keep'],
  ['the mark of ownership of Helm', 'commonAnnotations', 'meta.helm.sh/release-name', 'x'],
  ['an annotation of AgentPlane', 'commonAnnotations', 'agentplane.dev/note', 'x'],
  ['what a controller writes', 'commonAnnotations', 'deployment.kubernetes.io/revision', '7'],
  ['what kubectl writes', 'commonAnnotations', 'kubectl.kubernetes.io/last-applied-configuration', '{}'],
  ['an annotation key with a space', 'commonAnnotations', 'run book', 'x'],
  ['an annotation that is a map', 'commonAnnotations', 'example.com/note', { a: 'b' }],
];

const acceptedCommon: readonly (readonly [name: string, values: JsonMap])[] = [
  ['a label of each form', { commonLabels: { team: 'a', 'example.com/cost-center': '4711', Empty: '' } }],
  ['a label at every bound', { commonLabels: { [`${'a'.repeat(253)}/${'b'.repeat(63)}`]: 'c'.repeat(63) } }],
  ['labels that only look alike', { commonLabels: { 'helm.sh.example.com/chart': 'x', name: 'x' } }],
  ['any text as an annotation', { commonAnnotations: { 'example.com/note': '{{ "x" }}\n: #', note: '' } }],
  ['an annotation of a GitOps tool', { commonAnnotations: { 'argocd.argoproj.io/sync-options': 'Prune=false' } }],
];

/** The nearest value that is right, so that a schema which refuses everything cannot pass. */
const accepted: readonly (readonly [name: string, values: JsonMap])[] = [
  ['what a parent chart passes', { global: { anything: [1] }, enabled: true }],
  ['the bounds of integers', { operator: { replicas: 5, workers: 32 }, inventory: { intervalSeconds: 10 } }],
  ['a namespace of 63 characters', governed({ name: 'a'.repeat(63) })],
  [
    'the release namespace, when its other pods stay outside',
    governed({ name: 'agentplane-system', floor: 'GovernedPods' }),
  ],
  ['a probe without targets', probe({})],
  ['a probe that is off, wherever it would be', { probe: { namespace: 'agentplane-system' } }],
  [
    'a probe with targets',
    probe({ targets: { ipv6: { allowed: '2001:db8::1', denied: 'fd00::1' }, names: { allowed: 'a.example.com' } } }),
  ],
  ['a repository with a port', { image: { repository: 'example.com:5000/agentplane', tag: 'dev' } }],
  ['a digest', { image: { digest: `sha256:${'a'.repeat(64)}` } }],
  ['addresses of both families', { apiServer: { addresses: ['10.0.0.1', 'fd00::1'], port: 65535 } }],
  ['reports that come just in time', { inventory: { intervalSeconds: 120 } }],
  [
    'an API server next to what no policy may open',
    apiServer(
      '10.96.0.1',
      '169.253.0.1',
      '10.169.254.1',
      '126.0.0.1',
      '1.0.0.0',
      '223.255.255.255',
      '100.100.100.20',
      '168.63.129.161',
    ),
  ],
  [
    'an API server of IPv6 next to what no policy may open',
    apiServer(
      '2000::',
      '3fff::1',
      'fc00::1',
      'fdff::',
      'fd00:ec20::254',
      'fd00::ec2:254',
      '2001:db8:0:0:0:0:fe80:1',
      '2001:2002::1',
    ),
  ],
  ['another resolver', { inventory: { dns: { podLabels: { 'k8s-app': null, app: 'dns' } } } }],
  ['a peer', { networkPolicy: { metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] } }],
  ['labels of the customer', { podLabels: { team: 'a', 'example.com/cost-center': '4711' } }],
  ['a default resource deleted with null', { operator: { resources: { limits: { memory: null } } } }],
  ['quantities', { operator: { resources: { limits: { cpu: '1.5', memory: '1Gi' } } } }],
];

describe.each([0, 1])('values of agentplane, with helm number %i', (index) => {
  it.each(refused)('refuses %s', async (_, values, field) => {
    const [, helm] = helms()[index] ?? ['', ''];
    const { text, error } = await helmTemplate(helm, chartFolder('agentplane'), values, release);
    expect(text).toBeUndefined();
    expect(error).toContain(field);
  });

  it.each(accepted)('accepts %s', async (_, values) => {
    const [, helm] = helms()[index] ?? ['', ''];
    const { error, text } = await helmTemplate(helm, chartFolder('agentplane'), values, release);
    expect(text, error).toBeDefined();
  });
});

describe.each([0, 1])('common metadata, with helm number %i', (index) => {
  const [, helm] = helms()[index] ?? ['', ''];

  describe.each(['agentplane-crds', 'agentplane-cluster', 'agentplane'])('%s', (chart) => {
    it.each(refusedCommon)('refuses %s', async (_, field, key, value) => {
      const { text, error } = await helmTemplate(helm, chartFolder(chart), { [field]: { [key]: value } }, release);
      expect(text).toBeUndefined();
      expect(error).toContain(field);
      // In a JSON pointer, a slash is written as ~1.
      expect(error.replaceAll('~1', '/')).toContain(key);
    });

    it.each(acceptedCommon)('accepts %s', async (_, values) => {
      const { error, text } = await helmTemplate(helm, chartFolder(chart), values, release);
      expect(text, error).toBeDefined();
    });
  });
});
