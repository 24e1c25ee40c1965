/** The pods of a run, fit for Pod Security "restricted" and without a token. Pure. */
import type { KubeObject, OwnerReference } from '../kube/types.ts';
import { TARGET_PORTS } from './assertions.ts';
import { accountOf, CANARY_LABEL, labelsOf, podsOf, type Subject } from './subjects.ts';

export interface PodSettings {
  readonly namespace: string;
  readonly image: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Names of Secrets of the namespace. */
  readonly pullSecrets: readonly string[];
  readonly nodeSelector: Readonly<Record<string, string>>;
}

/** As both ways to build the image lay it out: images/Containerfile, scripts/image/image.ts. */
const COMMAND = ['/usr/local/bin/node', '--disable-sigusr1', '/app/canary.mjs'];

/** A run that has not ended by then is over, and so is its lock. */
export const RUN_DEADLINE_SECONDS = 300;
const CANARY_DEADLINE_SECONDS = 120;

/** How long a canary tries. Behind the floor it is the first moments that count. */
const WINDOW_MS = 8000;
const FLOOR_WINDOW_MS = 3000;

/** What canaries try inside the cluster: it answers at every port of the plan, and DNS. The first of the two is the anchor of the run. */
export function targetPod(
  subject: 'target' | 'other',
  settings: PodSettings,
  owners: readonly OwnerReference[],
): KubeObject {
  const { main, beyond } = TARGET_PORTS;
  const ports = Array.from({ length: beyond - main + 1 }, (_, index) => main + index);
  const [name = ''] = podsOf(subject);
  return pod({ name, subject, settings, owners }, [
    {
      activeDeadlineSeconds: RUN_DEADLINE_SECONDS,
      // Port 53 for whoever is not root: Pod Security "restricted" allows this one.
      securityContext: { ...POD_SECURITY, sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] },
    },
    {
      args: ['--listen', ports.join(','), '--dns', '53', '--word', subject],
      readinessProbe: { tcpSocket: { port: main }, periodSeconds: 1 },
    },
  ]);
}

export interface CanaryOptions {
  readonly name: string;
  readonly subject: Subject;
  readonly settings: PodSettings;
  readonly owners: readonly OwnerReference[];
}

export function canaryPod(options: CanaryOptions, attempts: readonly string[]): KubeObject {
  const floor = options.subject === 'floor';
  const tries = attempts.flatMap((attempt) => ['--try', attempt]);
  const window = ['--window-ms', String(floor ? FLOOR_WINDOW_MS : WINDOW_MS)];
  return pod(options, [
    { activeDeadlineSeconds: CANARY_DEADLINE_SECONDS, securityContext: POD_SECURITY },
    { args: [...window, ...(floor ? ['--burst'] : []), ...tries] },
  ]);
}

const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  runAsGroup: 65_532,
  seccompProfile: { type: 'RuntimeDefault' },
} as const;

function pod(
  { name, subject, settings, owners }: CanaryOptions,
  [spec, container]: readonly [object, object],
): KubeObject {
  const { namespace, image, pullPolicy, pullSecrets, nodeSelector } = settings;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: labelsOf(subject), ownerReferences: owners },
    spec: {
      serviceAccountName: accountOf(subject),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })),
      nodeSelector,
      topologySpreadConstraints: [SPREAD],
      ...spec,
      containers: [
        {
          name: 'canary',
          image,
          imagePullPolicy: pullPolicy,
          command: COMMAND,
          terminationMessagePolicy: 'File',
          // Without a limit of CPU: it would be slowed down in the very moments that count.
          resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { memory: '128Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
          ...container,
        },
      ],
    },
  };
}

const SPREAD = {
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchExpressions: [{ key: CANARY_LABEL, operator: 'Exists' }] },
} as const;
