/** Pods that are asked for, each with one thing that is dangerous. */
import { PROFILE_LABEL } from '../../../src/api/meta.ts';
import { PROFILE } from '../../support/policies.ts';
import { create, type DangerousRequest } from './dangerous.ts';
import { BOUND_KEY, BOUND_SECRET, type Broken, BUNDLE, CONTAINER, CONTEXT, pod } from './pod.ts';
import { OTHER_ACCOUNT, OTHER_PROFILE } from './site.ts';

const createPod = (broken: Broken) =>
  create('/api/v1/namespaces/NS/pods', (namespace) => pod(namespace, 'new', broken));

const ofPod = (what: string, broken: Broken, refused: RegExp, kept: Broken = {}): DangerousRequest => ({
  what,
  by: 'tenant',
  request: createPod(broken),
  twin: createPod(kept),
  refused,
});

const secretEnv = (name: string, key: string) => ({
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name, key } } }],
});
const volume = (source: object) => ({ spec: { volumes: [{ name: 'data', ...source }] } });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const items = [{ key: BOUND_KEY, path: 'token' }];
const ofOther = { spec: { serviceAccountName: OTHER_ACCOUNT }, labels: { [PROFILE_LABEL]: OTHER_PROFILE } };

export const POD_REQUESTS: readonly DangerousRequest[] = [
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
  ofPod(
    'a limit of nothing, which is none',
    { container: { resources: { limits: { cpu: '0', memory: '0' } } } },
    /set resources.limits at or below/,
  ),
  ofPod(
    'a tool policy that is not in force, in the environment',
    { container: { envFrom: [{ configMapRef: { name: 'ap-bundle-old' } }] } },
    /its environment names a tool policy that is not in force/,
    { container: { envFrom: [{ configMapRef: { name: BUNDLE } }] } },
  ),
  ofPod(
    'an image that leads elsewhere',
    { container: { image: `registry.example.com/agents/../evil@sha256:${'a'.repeat(64)}` } },
    /its image is no plain reference/,
  ),
  ofPod(
    'an annotation that agents of the network read',
    { annotations: { 'cni.projectcalico.org/podIP': '8.8.8.8/32' } },
    /annotations that begin with cni.projectcalico.org\//,
    { annotations: { note: 'x' } },
  ),
];
