import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ADMIN } from './api.ts';
import { AUDIT_POLICY } from './audit-policy.ts';
import { certificateCredentials, writeKubeconfig } from './kubeconfig.ts';
import { type Layout, layoutOf, type Plan } from './layout.ts';
import { createAuthority, issueClient, issueServer, serviceAccountKeys } from './pki.ts';
import { freePorts } from './ports.ts';

export interface ComponentBinaries {
  readonly etcd: string;
  readonly 'kube-apiserver': string;
  readonly 'kube-controller-manager': string;
}

const SERVICE_RANGE = '10.0.0.0/24';
const SERVICE_ADDRESS = '10.0.0.1';

/**
 * The controllers that API tests depend on. No workload controller and no node life cycle: tests write the status of
 * DaemonSets and Pods themselves, and nothing may correct it.
 */
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolumeclaim-protection-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'validatingadmissionpolicy-status-controller',
];

/** Empties `folder` and writes everything that the components need. Nothing is started. */
export async function prepare(folder: string, binaries: ComponentBinaries): Promise<Plan> {
  const layout = layoutOf(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(layout.logs, { recursive: true, mode: 0o700 });
  await writeFile(layout.auditPolicy, JSON.stringify(AUDIT_POLICY, null, 2));
  const [client = 0, peer = 0, api = 0, manager = 0] = await freePorts(4, (process.pid * 4) % 10_000);
  const authority = await createAuthority(layout.pki);
  const server = await issueServer(layout.pki, SERVICE_ADDRESS);
  const url = `https://127.0.0.1:${api}`;
  const etcdUrl = `http://127.0.0.1:${client}`;
  const endpoint = { url, authorityPath: authority.certificatePath };
  const users = [
    { file: layout.adminKubeconfig, subject: ADMIN },
    { file: layout.controllerKubeconfig, subject: { name: 'system:kube-controller-manager', groups: [] } },
  ];
  for (const { file, subject } of users) {
    await writeKubeconfig(file, endpoint, await certificateCredentials(await issueClient(layout.pki, subject)));
  }
  const plan: Plan = {
    url,
    etcdUrl,
    components: {
      etcd: { command: binaries.etcd, args: etcdFlags(layout, client, peer) },
      'kube-apiserver': {
        command: binaries['kube-apiserver'],
        args: apiServerFlags(layout, { etcd: etcdUrl, api, certificate: server.certificatePath, key: server.keyPath }),
      },
      'kube-controller-manager': {
        command: binaries['kube-controller-manager'],
        args: controllerManagerFlags(layout, manager),
      },
    },
  };
  await writeFile(layout.plan, JSON.stringify(plan, null, 2));
  return plan;
}

function etcdFlags(layout: Layout, client: number, peer: number): string[] {
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return flags({
    name: 'embedded',
    'data-dir': layout.etcdData,
    'listen-client-urls': at(client),
    'advertise-client-urls': at(client),
    'listen-peer-urls': at(peer),
    'initial-advertise-peer-urls': at(peer),
    'initial-cluster': `embedded=${at(peer)}`,
    // The data is thrown away with the run: waiting for the disk would only slow the tests.
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
  });
}

interface ApiServerParts {
  readonly etcd: string;
  readonly api: number;
  readonly certificate: string;
  readonly key: string;
}

function apiServerFlags(layout: Layout, parts: ApiServerParts): string[] {
  const signing = serviceAccountKeys(layout.pki);
  return flags({
    'etcd-servers': parts.etcd,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    // The default reconciler refuses a loopback address for the `kubernetes` Service and would log it for ever.
    'endpoint-reconciler-type': 'none',
    'secure-port': String(parts.api),
    'tls-cert-file': parts.certificate,
    'tls-private-key-file': parts.key,
    'client-ca-file': path.join(layout.pki, 'ca.crt'),
    'authorization-mode': 'RBAC',
    // As every distribution sets it: what stops a privileged pod must be admission, or nothing.
    'allow-privileged': 'true',
    'service-cluster-ip-range': SERVICE_RANGE,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': signing.publicPath,
    'service-account-signing-key-file': signing.keyPath,
    'audit-policy-file': layout.auditPolicy,
    'audit-log-path': layout.auditLog,
    // Megabytes. Rotation would hide entries from a test that counts them.
    'audit-log-maxsize': '4096',
    'audit-log-mode': 'blocking',
    // Seconds, at least 60. Watches of this age end, so their clients have to resume: as in production, only sooner.
    'min-request-timeout': '300',
    profiling: 'false',
  });
}

function controllerManagerFlags(layout: Layout, port: number): string[] {
  return flags({
    kubeconfig: layout.controllerKubeconfig,
    'authentication-kubeconfig': layout.controllerKubeconfig,
    'authorization-kubeconfig': layout.controllerKubeconfig,
    controllers: CONTROLLERS.join(','),
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'leader-elect': 'false',
    // Each controller acts as its own ServiceAccount, as kubeadm sets it up: the audit log can tell them apart.
    'use-service-account-credentials': 'true',
    'service-account-private-key-file': serviceAccountKeys(layout.pki).keyPath,
    'root-ca-file': path.join(layout.pki, 'ca.crt'),
    // The default rate makes garbage collection of hundreds of objects take minutes.
    'kube-api-qps': '500',
    'kube-api-burst': '1000',
    profiling: 'false',
  });
}

function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
