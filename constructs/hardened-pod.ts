import type { V1Container, V1PodSecurityContext, V1Probe, V1TopologySpreadConstraint } from '@kubernetes/client-node';
import { selectorLabels } from './labels.ts';
import { ports } from './names.ts';

/**
 * What makes a pod pass the Pod Security Standard "restricted", and the defaults of the API server written out, so that what
 * is rendered equals what is live: a tool that compares the two (Argo CD, `kubectl diff`) then finds nothing.
 * Source of the defaults: kubernetes/kubernetes pkg/apis/core/v1/defaults.go and pkg/apis/apps/v1/defaults.go.
 */

/** The user of the image's own USER instruction. */
const nonRoot = 65532;

export const podSecurity: V1PodSecurityContext = {
  runAsNonRoot: true,
  runAsUser: nonRoot,
  runAsGroup: nonRoot,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const containerSecurity: NonNullable<V1Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

export const podDefaults = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
} as const;

export const containerDefaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
} as const;

export const deploymentDefaults = {
  progressDeadlineSeconds: 600,
  revisionHistoryLimit: 10,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
} as const;

interface HealthProbe {
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

/** A probe of the health server. */
export function healthProbe(path: '/healthz' | '/readyz', { periodSeconds, failureThreshold }: HealthProbe): V1Probe {
  return {
    httpGet: { path, port: ports.health, scheme: 'HTTP' },
    periodSeconds,
    timeoutSeconds: 2,
    successThreshold: 1,
    failureThreshold,
  };
}

/** Spread over nodes and zones where that is possible; a cluster of one node still runs everything. */
export function spreadConstraints(component: string): V1TopologySpreadConstraint[] {
  return ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { ...selectorLabels(component) } },
  }));
}
