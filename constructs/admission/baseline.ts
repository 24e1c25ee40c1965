/**
 * The baseline of every pod of a governed namespace, profile or not: the Pod Security Standards at the level "restricted"
 * (kubernetes.io/docs/concepts/security/pod-security-standards, for Linux), and no token of a ServiceAccount.
 */
import { VOLUME_TYPES } from '../../src/api/runtime-profile.ts';
import { type AdmissionRule, celList, containerRule, rule } from './rule.ts';

const own = 'c.?securityContext';
const ofPod = 'variables.spec.?securityContext';

/** The value of a container, or that of its pod. */
const inherited = (field: string, absent: string): string =>
  `${own}.${field}.orValue(${ofPod}.${field}.orValue(${absent}))`;

/** What the level allows is what a profile may choose from. */
const VOLUME_KEYS = ['name', ...VOLUME_TYPES];

const SAFE_SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_syncookies',
];

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

const strangeSelinux = (at: string): string =>
  `!(${at}.?seLinuxOptions.?type.orValue('') in ${celList(SELINUX_TYPES)}) || ` +
  `['user', 'role'].exists(f, ${at}.?seLinuxOptions[?f].orValue('') != '')`;

const hasHost = (handler: string): string =>
  `['httpGet', 'tcpSocket'].exists(a, ${handler}[?a].?host.orValue('') != '')`;

const probesHost =
  `['livenessProbe', 'readinessProbe', 'startupProbe'].exists(p, ${hasHost('c[?p]')}) || ` +
  `['postStart', 'preStop'].exists(p, ${hasHost('c.?lifecycle[?p]')})`;

const LEGACY_APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export const baselineRules: readonly AdmissionRule[] = [
  rule(
    'host-namespaces',
    "!['hostNetwork', 'hostPID', 'hostIPC'].exists(f, variables.spec[?f].orValue(false) == true)",
    'hostNetwork, hostPID and hostIPC are not allowed: leave them out',
  ),
  containerRule(
    'privileged',
    `${own}.?privileged.orValue(false) == true`,
    'privileged is not allowed: leave securityContext.privileged out',
  ),
  containerRule(
    'privilege-escalation',
    `${own}.?allowPrivilegeEscalation.orValue(true) != false`,
    'set securityContext.allowPrivilegeEscalation to false',
  ),
  containerRule(
    'capabilities-dropped',
    `!('ALL' in ${own}.?capabilities.?drop.orValue([]))`,
    'set securityContext.capabilities.drop to ["ALL"]',
  ),
  containerRule(
    'capabilities-added',
    `${own}.?capabilities.?add.orValue([]).exists(a, a != 'NET_BIND_SERVICE')`,
    'no capability but NET_BIND_SERVICE may be added: remove it from securityContext.capabilities.add',
  ),
  containerRule(
    'non-root',
    `${inherited('?runAsNonRoot', 'false')} != true`,
    'set securityContext.runAsNonRoot to true, of the pod or of the container',
  ),
  containerRule('non-root-user', `${inherited('?runAsUser', '1')} == 0`, 'securityContext.runAsUser may not be 0'),
  rule('non-root-pod', `${ofPod}.?runAsUser.orValue(1) != 0`, 'securityContext.runAsUser of the pod may not be 0'),
  rule(
    'seccomp-pod',
    `${ofPod}.?seccompProfile.?type.orValue('RuntimeDefault') in ['RuntimeDefault', 'Localhost']`,
    'securityContext.seccompProfile.type of the pod may be RuntimeDefault or Localhost',
  ),
  containerRule(
    'seccomp',
    `!(${inherited('?seccompProfile.?type', "''")} in ['RuntimeDefault', 'Localhost'])`,
    'set securityContext.seccompProfile.type to RuntimeDefault, of the pod or of the container',
  ),
  containerRule(
    'apparmor',
    `${inherited('?appArmorProfile.?type', "'RuntimeDefault'")} == 'Unconfined'`,
    'securityContext.appArmorProfile may not be Unconfined',
  ),
  rule(
    'apparmor-annotation',
    `!variables.meta.?annotations.orValue({}).exists(k, k.startsWith('${LEGACY_APPARMOR}') && ` +
      "!(variables.meta.annotations[k] == 'runtime/default' || variables.meta.annotations[k].startsWith('localhost/')))",
    `an annotation ${LEGACY_APPARMOR}* may be runtime/default or localhost/* only`,
  ),
  rule(
    'selinux',
    `!(${strangeSelinux(ofPod)})`,
    'securityContext.seLinuxOptions of the pod may have a container type only, and neither user nor role',
  ),
  containerRule(
    'selinux-container',
    strangeSelinux(own),
    'securityContext.seLinuxOptions may have a container type only, and neither user nor role',
  ),
  containerRule(
    'proc-mount',
    `${own}.?procMount.orValue('Default') != 'Default'`,
    'securityContext.procMount may be Default only',
  ),
  rule(
    'sysctls',
    `!${ofPod}.?sysctls.orValue([]).exists(s, !(s.name in ${celList(SAFE_SYSCTLS)}))`,
    'securityContext.sysctls may hold safe, namespaced ones only',
  ),
  containerRule(
    'host-ports',
    'c.?ports.orValue([]).exists(p, p.?hostPort.orValue(0) != 0)',
    'a hostPort is not allowed: leave it out',
  ),
  containerRule('probe-host', probesHost, 'a probe or a lifecycle hook may not name a host: leave it out'),
  containerRule(
    'host-process',
    `${inherited('?windowsOptions.?hostProcess', 'false')} == true`,
    'windowsOptions.hostProcess is not allowed',
  ),
  rule(
    'host-process-pod',
    `${ofPod}.?windowsOptions.?hostProcess.orValue(false) != true`,
    'windowsOptions.hostProcess is not allowed',
  ),
  {
    name: 'volumes',
    holds: `variables.volumes.all(v, v.all(k, k in ${celList(VOLUME_KEYS)}))`,
    message:
      `'volume ' + variables.volumes.filter(v, v.exists(k, !(k in ${celList(VOLUME_KEYS)}))).map(v, v.name).join(', ') + ` +
      `': its type is not allowed: choose of ${VOLUME_TYPES.join(', ')}'`,
  },
  rule(
    'provider-labels',
    "!variables.meta.?labels.orValue({}).exists(k, k.startsWith('io.cilium.'))",
    'no label may begin with io.cilium.: the network provider derives identities from such labels',
  ),
];
