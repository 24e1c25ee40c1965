/** Dangerous requests, each with a twin that differs in that one thing and passes. The evidence of docs/security/admission-evidence.md. */
import { MANAGED_BY, MANAGED_BY_LABEL, PROFILE_LABEL } from '../../../src/api/meta.ts';
import { PROFILE } from '../../support/policies.ts';
import type { ApiRequest } from '../../support/raw-api.ts';
import { BOUND_KEY, BOUND_SECRET, type Broken, BUNDLE, CONTAINER, CONTEXT, IMAGE, pod } from './pod.ts';
import { OTHER_ACCOUNT, OTHER_PROFILE, RUNNING } from './site.ts';

export interface DangerousRequest {
  readonly what: string;
  readonly by: 'tenant' | 'operator';
  readonly request: (namespace: string) => ApiRequest;
  /** The same with nothing dangerous in it. */
  readonly twin: (namespace: string) => ApiRequest;
  /** What the API server says with the admission policies. */
  readonly refused: RegExp;
}

const DRY = 'dryRun=All';

const create =
  (path: string, object: (namespace: string) => object) =>
  (namespace: string): ApiRequest => ({
    method: 'POST',
    path: `${path.replace('NS', namespace)}?${DRY}`,
    body: object(namespace),
  });

const createPod = (broken: Broken) =>
  create('/api/v1/namespaces/NS/pods', (namespace) => pod(namespace, 'new', broken));

/** A pod of the tenant that breaks one rule, beside one that keeps it. */
const ofPod = (what: string, broken: Broken, refused: RegExp, kept: Broken = {}): DangerousRequest => ({
  what,
  by: 'tenant',
  request: createPod(broken),
  twin: createPod(kept),
  refused,
});

const patchPod =
  (body: object, subresource = '') =>
  (namespace: string): ApiRequest => ({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/pods/${RUNNING}${subresource}?${DRY}`,
    contentType: 'application/strategic-merge-patch+json',
    body,
  });

const labelled = (value: string | null) => ({ metadata: { labels: { [PROFILE_LABEL]: value } } });
const secretEnv = (name: string, key: string) => ({
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name, key } } }],
});
const volume = (source: object) => ({ spec: { volumes: [{ name: 'data', ...source }] } });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const items = [{ key: BOUND_KEY, path: 'token' }];
const ephemeral = (image: string, context: object) => ({
  spec: { ephemeralContainers: [{ name: 'debug', image, securityContext: context }] },
});

const ofOther = { spec: { serviceAccountName: OTHER_ACCOUNT }, labels: { [PROFILE_LABEL]: OTHER_PROFILE } };

const PODS: readonly DangerousRequest[] = [
  ofPod(
    'a pod with a hostPath volume',
    volume({ hostPath: { path: '/' } }),
    /volume data: its type is not a/,
    volume({ emptyDir: {} }),
  ),
  ofPod(
    'a privileged container',
    { context: { privileged: true, allowPrivilegeEscalation: true } },
    /container agent: privileged is not allowed/,
  ),
  ofPod('the network of the host', { spec: { hostNetwork: true } }, /hostNetwork, hostPID and hostIPC are not allowed/),
  ofPod('the processes of the host', { spec: { hostPID: true } }, /hostNetwork, hostPID and hostIPC are not allowed/),
  ofPod(
    'a port of the host',
    { container: { ports: [{ containerPort: 80, hostPort: 80 }] } },
    /a hostPort is not allowed/,
    {
      container: { ports: [{ containerPort: 80 }] },
    },
  ),
  ofPod('privilege escalation', { context: { allowPrivilegeEscalation: true } }, /allowPrivilegeEscalation to false/),
  ofPod(
    'a capability',
    { context: { capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } } },
    /no capability but NET_BIND_SERVICE/,
    {
      context: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
    },
  ),
  ofPod('capabilities that are kept', { context: { capabilities: {} } }, /capabilities.drop to \["ALL"\]/),
  ofPod('root', { context: { runAsNonRoot: true, runAsUser: 0 } }, /runAsUser may not be 0/, {
    context: { runAsUser: 1000 },
  }),
  ofPod(
    'a user that may be root',
    { spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } } },
    /runAsNonRoot to true/,
  ),
  ofPod(
    'no seccomp filter',
    { spec: { securityContext: { runAsNonRoot: true } } },
    /seccompProfile.type to RuntimeDefault/,
  ),
  ofPod(
    'an unconfined AppArmor profile',
    { context: { appArmorProfile: { type: 'Unconfined' } } },
    /appArmorProfile may not be Unconfined/,
    {
      context: { appArmorProfile: { type: 'RuntimeDefault' } },
    },
  ),
  ofPod(
    'an SELinux role',
    { context: { seLinuxOptions: { role: 'sysadm_r' } } },
    /seLinuxOptions may have a container type only/,
    {
      context: { seLinuxOptions: { type: 'container_t' } },
    },
  ),
  ofPod(
    'an unsafe sysctl',
    {
      spec: {
        securityContext: {
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
          sysctls: [{ name: 'kernel.msgmax', value: '1' }],
        },
      },
    },
    /sysctls may hold safe, namespaced ones only/,
    {
      spec: {
        securityContext: {
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
          sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
        },
      },
    },
  ),
  ofPod(
    'a probe of another host',
    { container: { livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } } },
    /may not name a host/,
    {
      container: { livenessProbe: { httpGet: { port: 80 } } },
    },
  ),
  ofPod(
    'a label that forges a network identity',
    { labels: { [PROFILE_LABEL]: PROFILE, 'io.cilium.k8s.policy.serviceaccount': 'admin' } },
    /no label may begin with io.cilium/,
    {
      labels: { [PROFILE_LABEL]: PROFILE, app: 'agent' },
    },
  ),
  ofPod(
    'a token that is mounted by default, where the profile denies it',
    { spec: { automountServiceAccountToken: true } },
    /spec.pod.serviceAccountToken is Denied: set automountServiceAccountToken to false/,
  ),
  ofPod(
    'a token that is projected, where the profile denies it',
    projected({ serviceAccountToken: { path: 'token' } }),
    /spec.pod.serviceAccountToken is Denied/,
    projected({ downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } }),
  ),
  ofPod(
    'a token that the profile allows, of an account that the platform admin does not list',
    { ...ofOther, spec: { ...ofOther.spec, automountServiceAccountToken: true } },
    /no token of a ServiceAccount may be mounted here: .* list [a-z-]+\/other-agent in tokenAccounts/,
    ofOther,
  ),
  ofPod(
    'another ServiceAccount, with the label',
    { spec: { serviceAccountName: OTHER_ACCOUNT } },
    /label agentplane.dev\/profile/,
    {
      spec: { serviceAccountName: OTHER_ACCOUNT },
      labels: { [PROFILE_LABEL]: OTHER_PROFILE },
    },
  ),
  ofPod(
    'the label of a profile, on a pod that it does not govern',
    { spec: { serviceAccountName: 'free-agent' } },
    /whose account is research-agent, and not free-agent/,
    {
      spec: { serviceAccountName: 'free-agent' },
      labels: {},
    },
  ),
  ofPod('a governed pod without its label', { labels: {} }, /set the label agentplane.dev\/profile to research/),
  ofPod('another runtime class', { spec: { runtimeClassName: null } }, /spec.runtimeClassName must be sandboxed/),
  ofPod(
    'a writable root file system',
    { context: { readOnlyRootFilesystem: false } },
    /set securityContext.readOnlyRootFilesystem to true/,
  ),
  ofPod(
    'a volume type that the profile does not allow',
    volume({ persistentVolumeClaim: { claimName: 'data' } }),
    /volume data: its type is not among spec.pod.volumes/,
    volume({ emptyDir: {} }),
  ),
  ofPod('no lifetime', { spec: { activeDeadlineSeconds: null } }, /set activeDeadlineSeconds to 3600 or less/),
  ofPod(
    'a lifetime that is too long',
    { spec: { activeDeadlineSeconds: 3601 } },
    /set activeDeadlineSeconds to 3600 or less/,
    { spec: { activeDeadlineSeconds: 3600 } },
  ),
  ofPod(
    'an image that is not pinned',
    { container: { image: 'registry.example.com/agents/runner:latest' } },
    /image registry.example.com\/agents\/runner:latest of container agent: spec.images.digest is Required/,
  ),
  ofPod(
    'an image of another registry',
    { container: { image: `evil.example.com/agents/runner@sha256:${'a'.repeat(64)}` } },
    /spec.images.allowedPrefixes allows registry.example.com\/agents\//,
  ),
  ofPod(
    'an image whose name only begins alike',
    { container: { image: `registry.example.com/agents-evil/runner@sha256:${'a'.repeat(64)}` } },
    /spec.images.allowedPrefixes allows/,
  ),
  ofPod('no limit', { container: { resources: {} } }, /set resources.limits at or below/),
  ofPod(
    'a limit above that of the profile',
    { container: { resources: { limits: { cpu: '2', memory: '256Mi' } } } },
    /set resources.limits at or below .*cpu 1, memory 512Mi/,
    { container: { resources: { limits: { cpu: '1', memory: '512Mi' } } } },
  ),
  ofPod(
    'an unbound Secret in env',
    { container: secretEnv('other', BOUND_KEY) },
    /container agent, env: Secret other, key token/,
    { container: secretEnv(BOUND_SECRET, BOUND_KEY) },
  ),
  ofPod(
    'an unbound key of a bound Secret',
    { container: secretEnv(BOUND_SECRET, 'password') },
    /Secret model-key, key password/,
    { container: secretEnv(BOUND_SECRET, BOUND_KEY) },
  ),
  ofPod(
    'a Secret by envFrom',
    { container: { envFrom: [{ secretRef: { name: BOUND_SECRET } }] } },
    /envFrom: the whole Secret model-key/,
    { container: { envFrom: [{ configMapRef: { name: 'settings' } }] } },
  ),
  ofPod(
    'an unbound Secret as volume',
    volume({ secret: { secretName: 'other', items } }),
    /volume data: Secret other/,
    volume({ secret: { secretName: BOUND_SECRET, items } }),
  ),
  ofPod(
    'a whole Secret as volume',
    volume({ secret: { secretName: BOUND_SECRET } }),
    /volume data: Secret model-key/,
    volume({ secret: { secretName: BOUND_SECRET, items } }),
  ),
  ofPod(
    'an unbound Secret as projected volume',
    projected({ secret: { name: 'other', items } }),
    /volume data: Secret other/,
    projected({ secret: { name: BOUND_SECRET, items } }),
  ),
  ofPod(
    'an unbound Secret in an init container',
    {
      spec: { initContainers: [{ ...CONTAINER, name: 'init', securityContext: CONTEXT, ...secretEnv('other', 'k') }] },
    },
    /container init, env: Secret other/,
    { spec: { initContainers: [{ ...CONTAINER, name: 'init', securityContext: CONTEXT }] } },
  ),
  ofPod(
    'a Secret to pull images with',
    { spec: { imagePullSecrets: [{ name: 'other' }] } },
    /imagePullSecrets: other/,
    { spec: { imagePullSecrets: [{ name: 'registry' }] } },
  ),
  ofPod(
    'a tool policy that is not in force',
    volume({ configMap: { name: 'ap-bundle-old' } }),
    /volume data: this tool policy is not in force/,
    volume({ configMap: { name: BUNDLE } }),
  ),
];

const UPDATES: readonly DangerousRequest[] = [
  {
    what: 'the label removed from a running pod',
    by: 'tenant',
    request: patchPod(labelled(null)),
    twin: patchPod({ metadata: { labels: { app: 'agent' } } }),
    refused: /label agentplane.dev\/profile is immutable: it was "research", and would be ""/,
  },
  {
    what: 'the label of a running pod forged',
    by: 'tenant',
    request: patchPod(labelled(OTHER_PROFILE)),
    twin: patchPod(labelled(PROFILE)),
    refused: /is immutable: it was "research", and would be "other"/,
  },
  {
    what: 'the label forged through the status of a pod',
    by: 'tenant',
    request: patchPod(labelled(OTHER_PROFILE), '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /is immutable: it was "research", and would be "other"/,
  },
  {
    what: 'the label removed through the status of a pod',
    by: 'tenant',
    request: patchPod(labelled(null), '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /is immutable: it was "research", and would be ""/,
  },
  {
    what: 'a privileged ephemeral container',
    by: 'tenant',
    request: patchPod(
      ephemeral(IMAGE, { ...CONTEXT, privileged: true, allowPrivilegeEscalation: true }),
      '/ephemeralcontainers',
    ),
    twin: patchPod(ephemeral(IMAGE, CONTEXT), '/ephemeralcontainers'),
    refused: /container debug: privileged is not allowed/,
  },
  {
    what: 'an ephemeral container of any image',
    by: 'tenant',
    request: patchPod(ephemeral('docker.io/library/busybox:latest', CONTEXT), '/ephemeralcontainers'),
    twin: patchPod(ephemeral(IMAGE, CONTEXT), '/ephemeralcontainers'),
    refused: /image docker.io\/library\/busybox:latest of container debug/,
  },
  {
    what: 'another image in a running pod',
    by: 'tenant',
    request: patchPod({ spec: { containers: [{ name: 'agent', image: 'docker.io/library/busybox:latest' }] } }),
    twin: patchPod({
      spec: { containers: [{ name: 'agent', image: IMAGE.replaceAll('a'.repeat(64), 'c'.repeat(64)) }] },
    }),
    refused: /spec.images.allowedPrefixes allows/,
  },
];

const networkPolicy = (name: string, spec: object, labels: object = {}) =>
  create('/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies', (namespace) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels },
    spec,
  }));
const configMap = (name: string, labels: object = {}) =>
  create('/api/v1/namespaces/NS/configmaps', (namespace) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
  }));
const deployment = (account: string) =>
  create('/apis/apps/v1/namespaces/NS/deployments', (namespace) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'agents', namespace },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { serviceAccountName: account, containers: [{ name: 'a', image: IMAGE }] },
      },
    },
  }));
const roleBinding = create('/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings', (namespace) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'more', namespace },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'tenant' }],
}));
const patchProfile =
  (body: object, subresource = '') =>
  (namespace: string): ApiRequest => ({
    method: 'PATCH',
    path: `/apis/agentplane.dev/v1alpha1/namespaces/${namespace}/runtimeprofiles/${PROFILE}${subresource}?${DRY}`,
    contentType: 'application/merge-patch+json',
    body,
  });

const ours = { [MANAGED_BY_LABEL]: MANAGED_BY };
const shut = { podSelector: {}, policyTypes: ['Egress'] };
const open = { podSelector: {}, policyTypes: ['Egress'], egress: [{}] };
const leavesOut = { matchExpressions: [{ key: PROFILE_LABEL, operator: 'DoesNotExist' }] };

const OBJECTS: readonly DangerousRequest[] = [
  {
    what: 'a NetworkPolicy that opens the namespace',
    by: 'tenant',
    request: networkPolicy('open', open),
    twin: networkPolicy('open', { ...open, podSelector: leavesOut }),
    refused: /NetworkPolicy open: it allows egress, and network policies add up/,
  },
  {
    what: 'a NetworkPolicy with our label',
    by: 'tenant',
    request: networkPolicy('forged', shut, ours),
    twin: networkPolicy('mine', shut),
    refused: /NetworkPolicy forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a ConfigMap with our label',
    by: 'tenant',
    request: configMap('forged', ours),
    twin: configMap('mine'),
    refused: /ConfigMap forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a ConfigMap with the name of a tool policy',
    by: 'tenant',
    request: configMap('ap-bundle-forged'),
    twin: configMap('bundle'),
    refused: /ConfigMap ap-bundle-forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a RoleBinding to cluster-admin',
    by: 'tenant',
    request: roleBinding,
    twin: configMap('mine'),
    refused: /cannot create resource "rolebindings"/,
  },
  {
    what: 'the status of a profile',
    by: 'tenant',
    request: patchProfile({ status: { admission: { generation: 1, open: true } } }, '/status'),
    twin: configMap('mine'),
    refused: /cannot patch resource "runtimeprofiles\/status"/,
  },
];

const operatorPod = create('/api/v1/namespaces/NS/pods', (namespace) => pod(namespace, 'by-operator'));
const byOperator = (
  what: string,
  request: DangerousRequest['request'],
  twin: DangerousRequest['twin'],
  refused: RegExp,
): DangerousRequest => ({
  what: `by the operator: ${what}`,
  by: 'operator',
  request,
  twin,
  refused,
});
const generated = networkPolicy('ap-egress-1', shut, ours);
const FENCED = /agentplane-operator may not/;

const FENCES: readonly DangerousRequest[] = [
  byOperator('a pod', operatorPod, generated, /agentplane-operator may not CREATE pods in namespace/),
  byOperator('a Deployment', deployment('free-agent'), generated, /agentplane-operator may not CREATE deployments/),
  byOperator(
    'a NetworkPolicy without our label',
    networkPolicy('stray', shut),
    generated,
    /agentplane-operator may not CREATE networkpolicies/,
  ),
  byOperator('a ConfigMap without our label', configMap('stray'), configMap('ap-bundle-1', ours), FENCED),
  byOperator('a RoleBinding', roleBinding, generated, FENCED),
  byOperator(
    'a token of an account',
    create('/api/v1/namespaces/NS/serviceaccounts/research-agent/token', () => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['a'] },
    })),
    generated,
    /agentplane-operator may not CREATE serviceaccounts\/token/,
  ),
  byOperator(
    'a Secret',
    create('/api/v1/namespaces/NS/secrets', (namespace) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace },
    })),
    generated,
    /agentplane-operator may not CREATE secrets/,
  ),
  byOperator(
    'the spec of a profile',
    patchProfile({ spec: { pod: { serviceAccountToken: 'Allowed' } } }),
    patchProfile({ metadata: { finalizers: ['agentplane.dev/governed-workloads'] } }),
    /agentplane-operator may not UPDATE runtimeprofiles/,
  ),
];

export const DANGEROUS_REQUESTS: readonly DangerousRequest[] = [...PODS, ...UPDATES, ...OBJECTS, ...FENCES];
