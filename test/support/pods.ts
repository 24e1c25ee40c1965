import { TEST_CLIENT_IMAGE } from '../../scripts/image/test-client.ts';

export interface PodOptions {
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccountName?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** As Pod Security `restricted` demands, and the profile of the examples, so that it runs in any namespace. */
const CONTAINER = {
  image: TEST_CLIENT_IMAGE,
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
} as const;

/** A pod that does nothing until a test runs something in it. */
export function clientPod(options: PodOptions): object {
  // As process 1, sleep ignores the signal that ends a pod, and deletion would take the whole grace period.
  return pod(options, { name: 'client', command: ['sh', '-c', "trap 'exit 0' TERM; sleep infinity & wait"] });
}

/** A pod that answers HTTP requests with its name on the ports. */
export function serverPod(options: PodOptions, ports: readonly number[]): object {
  const config = JSON.stringify({ name: options.name, ports });
  return pod(options, {
    name: 'server',
    command: ['node', '/srv/server.ts', config],
    readinessProbe: { tcpSocket: { port: ports[0] ?? 80 }, periodSeconds: 1 },
  });
}

function pod(options: PodOptions, container: object): object {
  const { namespace, name, serviceAccountName = 'default', labels = {} } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels },
    spec: {
      serviceAccountName,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      containers: [{ ...CONTAINER, volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }], ...container }],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
  };
}
