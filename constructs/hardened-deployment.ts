import type { V1Affinity, V1Container, V1Deployment, V1PodSpec, V1Toleration } from '@kubernetes/client-node';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { type Expr, release, text } from './expr/expr.ts';
import { onlyIf, spread, type Templated } from './expr/fragment.ts';
import { choose, isSet, orElse } from './expr/operators.ts';
import {
  containerDefaults,
  containerSecurity,
  deploymentDefaults,
  healthProbe,
  podDefaults,
  podSecurity,
  spreadConstraints,
} from './hardened-pod.ts';
import { selectorLabels } from './labels.ts';
import { manifest } from './manifest.ts';
import { ports } from './names.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

export interface HardenedDeploymentProps {
  /** Name of the Deployment and of its ServiceAccount. */
  readonly name: string;
  /** Which part of AgentPlane this is: the last word of its labels. */
  readonly component: string;
  /** Arguments of the image's entry point. */
  readonly args: readonly string[];
  readonly replicas: Templated<number>;
  readonly resources: Templated<NonNullable<V1Container['resources']>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly values: AgentplaneRefs;
  /** Version of the chart, and the image tag where the values name none. */
  readonly version: string;
}

/** A Deployment of the AgentPlane image under its own ServiceAccount, fit for Pod Security "restricted". */
export class HardenedDeployment extends Construct {
  constructor(scope: Construct, id: string, props: HardenedDeploymentProps) {
    super(scope, id);
    const metadata = { name: props.name, namespace: `${release.namespace}`, labels: { ...props.labels } };
    // The token is mounted by the pod that needs it; no other pod that names this account gets one by default.
    new k8s.KubeServiceAccount(this, 'account', { metadata, automountServiceAccountToken: false });
    const { podLabels, podAnnotations } = props.values;
    manifest<V1Deployment>(this, 'deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        ...deploymentDefaults,
        replicas: props.replicas,
        selector: { matchLabels: { ...selectorLabels(props.component) } },
        template: {
          metadata: {
            labels: { ...selectorLabels(props.component), ...spread(podLabels) },
            annotations: spread(podAnnotations),
          },
          spec: podSpec(props),
        },
      },
    });
  }
}

function podSpec(props: HardenedDeploymentProps): Templated<V1PodSpec> {
  return {
    ...hardenedPod(props),
    topologySpreadConstraints: spreadConstraints(props.component),
    containers: [container(props)],
  };
}

/** As much of a container as does not depend on how long it runs. */
export type ProgramProps = Omit<HardenedDeploymentProps, 'replicas'>;

/** A pod that runs as the component, without its containers. */
export function hardenedPod(props: ProgramProps) {
  const { affinity, imagePullSecrets, nodeSelector, priorityClassName, tolerations } = props.values;
  return {
    ...podDefaults,
    serviceAccountName: props.name,
    // The API server fills in this old name of the same field.
    serviceAccount: props.name,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    securityContext: podSecurity,
    imagePullSecrets: onlyIf(isSet(imagePullSecrets), imagePullSecrets),
    nodeSelector: onlyIf(isSet(nodeSelector), nodeSelector),
    tolerations: onlyIf(isSet(tolerations), raw<V1Toleration[]>(tolerations)),
    affinity: onlyIf(isSet(affinity), raw<V1Affinity>(affinity)),
    priorityClassName: onlyIf(isSet(priorityClassName), priorityClassName),
  };
}

function container(props: HardenedDeploymentProps): Templated<V1Container> {
  return {
    ...program(props),
    ports: [
      { name: 'metrics', containerPort: ports.metrics, protocol: 'TCP' },
      { name: 'health', containerPort: ports.health, protocol: 'TCP' },
    ],
    // A program that is asked before it listens is not ready for a period more: hence every second, for five minutes.
    startupProbe: { ...healthProbe('/healthz', { periodSeconds: 1, failureThreshold: 300 }), initialDelaySeconds: 1 },
    livenessProbe: healthProbe('/healthz', { periodSeconds: 10, failureThreshold: 3 }),
    readinessProbe: healthProbe('/readyz', { periodSeconds: 5, failureThreshold: 3 }),
  };
}

/** The program of the image with its arguments. */
export function program(props: ProgramProps) {
  return {
    ...containerDefaults,
    name: props.component,
    image: imageReference(props.values.image, props.version),
    imagePullPolicy: props.values.image.pullPolicy,
    args: props.args,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    resources: props.resources,
    securityContext: containerSecurity,
  };
}

/** `repository@digest` where a digest pins it, `repository:tag` otherwise. */
export function imageReference(image: AgentplaneRefs['image'], version: string): Expr<string> {
  const tagged = text(`:${orElse(image.tag, version)}`);
  const suffix = choose(isSet(image.digest), text(`@${image.digest}`), tagged);
  return text(`${image.repository}${suffix}`);
}

/** A part of the Kubernetes API that the values hold: its shape is guarded by the values schema, not by this type. */
export function raw<T>(value: Expr<unknown>): Expr<T> {
  return value as unknown as Expr<T>;
}
