/** EgressPolicy to networking.k8s.io/v1 NetworkPolicy. */

import type { Destination } from '../api/egress-destination.ts';
import type { EgressPort } from '../api/egress-policy.ts';
import { PROFILE_LABEL } from '../api/meta.ts';
import { canonicalMap, canonicalSet } from './canonical.ts';
import { familyOfAddress } from './cidr.ts';
import type { EmitRequest } from './emit.ts';
import type { ResolverFacts } from './facts.ts';
import { type DesiredObject, OUTPUT_SHORT_KIND, outputMeta } from './names.ts';
import { resolvesNames } from './requirements.ts';

type Item = Readonly<Record<string, unknown>>;

export function emitNetworkPolicy(request: EmitRequest): readonly DesiredObject[] {
  const { spec, facts, subject } = request;
  const rules = spec.allow.flatMap((rule): Item[] => {
    const to = canonicalSet(rule.to.flatMap((destination) => peers(destination, facts.apiServerAddresses)));
    // An empty peer list means "everywhere" to the API server: such a rule must never be written.
    return to.length === 0 ? [] : [{ to, ports: canonicalSet(rule.ports.map(port)) }];
  });
  if (resolvesNames(spec) && facts.dns !== undefined) rules.push(resolverRule(facts.dns));
  const egress = canonicalSet(rules);
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: outputMeta(request.owner, OUTPUT_SHORT_KIND),
      spec: {
        podSelector: { matchLabels: { [PROFILE_LABEL]: subject.profile } },
        policyTypes: ['Egress'],
        // The API server drops an empty list; policyTypes alone denies everything.
        ...(egress.length === 0 ? {} : { egress }),
      },
    },
  ];
}

function peers(to: Destination, apiServerAddresses: readonly string[]): Item[] {
  if (to.cidr !== undefined) {
    const except = canonicalSet(to.cidr.except ?? []);
    return [{ ipBlock: { cidr: to.cidr.block, ...(except.length === 0 ? {} : { except }) } }];
  }
  if (to.workloads !== undefined) return [pods(to.workloads.namespace, to.workloads.podLabels)];
  if (to.kubeAPIServer !== undefined) {
    return apiServerAddresses.map((address) => ({
      ipBlock: { cidr: `${address}/${familyOfAddress(address) === 'IPv6' ? 128 : 32}` },
    }));
  }
  // A domain needs a capability that this provider never has, so compilation refuses it before it comes here.
  return [];
}

function pods(namespace: string, podLabels: Readonly<Record<string, string>>): Item {
  return {
    // The only namespace label that nobody can forge: the API server sets it to the namespace's own name.
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: { matchLabels: canonicalMap(podLabels) },
  };
}

function port({ protocol, port: first, endPort }: EgressPort): Item {
  return { protocol, port: first, ...(endPort === undefined || endPort === first ? {} : { endPort }) };
}

function resolverRule(dns: ResolverFacts): Item {
  return {
    to: [pods(dns.namespace, dns.podLabels)],
    ports: canonicalSet([
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ]),
  };
}
