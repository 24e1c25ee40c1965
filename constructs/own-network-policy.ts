import type {
  V1LabelSelector,
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '@kubernetes/client-node';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { PROFILE_LABEL } from '../src/api/meta.ts';
import { release, text } from './expr/expr.ts';
import { onlyIf, type Templated } from './expr/fragment.ts';
import { choose, contains, digits, equals, isSet, not } from './expr/operators.ts';
import { raw } from './hardened-deployment.ts';
import { selectorLabels } from './labels.ts';
import { manifest } from './manifest.ts';
import { ports } from './names.ts';
import { each } from './structure/each.ts';
import { When } from './structure/when.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

export interface FencedProps {
  readonly name: string;
  readonly component: string;
  readonly values: AgentplaneRefs;
  readonly labels: Readonly<Record<string, string>>;
}

/** The client library renames `from` to `_from`; a manifest needs the name of the API. */
interface IngressRule {
  readonly from: readonly V1NetworkPolicyPeer[];
  readonly ports: readonly V1NetworkPolicyPort[];
}

interface FencePolicy extends Omit<V1NetworkPolicy, 'spec'> {
  readonly spec: Omit<NonNullable<V1NetworkPolicy['spec']>, 'ingress'> & { readonly ingress: readonly IngressRule[] };
}

/**
 * The fence around AgentPlane's own pods: nothing comes in but who may read metrics, nothing goes out but to the ports of the API server, and
 * to it alone where its addresses are given or Cilium knows it by name. DNS stays shut as well: the API server is reached by the address in KUBERNETES_SERVICE_HOST. Probes come from the
 * node, which a NetworkPolicy does not keep from its own pods.
 */
export class OwnNetworkPolicy extends Construct {
  constructor(scope: Construct, id: string, props: FencedProps) {
    super(scope, id);
    const enabled = new When(this, 'enabled', { condition: props.values.networkPolicy.enabled });
    const { metricsFrom } = props.values.networkPolicy;
    manifest<FencePolicy>(enabled, 'policy', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: props.name, namespace: `${release.namespace}`, labels: props.labels },
      spec: {
        podSelector: ownPods(props.component),
        policyTypes: ['Ingress', 'Egress'],
        ingress: onlyIf<readonly IngressRule[]>(isSet(metricsFrom), [
          { from: raw(metricsFrom), ports: [{ port: ports.metrics, protocol: 'TCP' }] },
        ]),
        egress: onlyIf<readonly V1NetworkPolicyEgressRule[]>(not(props.values.networkPolicy.ciliumEgress), [
          apiServerRule(props.values.apiServer),
        ]),
      },
    });
    const byName = new When(enabled, 'by-name', { condition: props.values.networkPolicy.ciliumEgress });
    new ApiObject(byName, 'policy', {
      apiVersion: 'cilium.io/v2',
      kind: 'CiliumNetworkPolicy',
      metadata: { name: props.name, namespace: `${release.namespace}`, labels: { ...props.labels } },
      spec: {
        endpointSelector: ownPods(props.component),
        egress: [{ toEntities: ['kube-apiserver'], toPorts: [{ ports: namedPorts(props.values.apiServer) }] }],
      },
    });
  }
}

/** Never a governed pod that bears the same labels: the release namespace may be governed as well, and others may write labels there. */
function ownPods(component: string): V1LabelSelector {
  return {
    matchLabels: { ...selectorLabels(component) },
    matchExpressions: [{ key: PROFILE_LABEL, operator: 'DoesNotExist' }],
  };
}

/** Cilium writes ports as text. */
function namedPorts({ port, servicePort }: AgentplaneRefs['apiServer']): Templated<object[]> {
  return [
    { port: digits(port), protocol: 'TCP' },
    onlyIf(not(equals(servicePort, port)), { port: digits(servicePort), protocol: 'TCP' }),
  ];
}

function apiServerRule(apiServer: AgentplaneRefs['apiServer']): Templated<V1NetworkPolicyEgressRule> {
  const { addresses } = apiServer;
  // Most networks judge a connection to a Service after its address was translated, some before: hence both ports.
  return {
    to: onlyIf<readonly V1NetworkPolicyPeer[]>(isSet(addresses), [
      each(addresses, '$address', (address) => ({
        ipBlock: { cidr: text(`${address}${choose(contains(address, ':'), '/128', '/32')}`) },
      })),
    ]),
    ports: [
      { port: apiServer.port, protocol: 'TCP' },
      onlyIf<V1NetworkPolicyPort>(not(equals(apiServer.servicePort, apiServer.port)), {
        port: apiServer.servicePort,
        protocol: 'TCP',
      }),
    ],
  };
}
