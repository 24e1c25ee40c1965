/**
 * EgressPolicy to cilium.io/v2 CiliumNetworkPolicy.
 *
 * `toFQDNs` learns addresses from DNS answers that pass the DNS proxy, so every domain rule comes with a DNS rule for the
 * same names (cilium/cilium Documentation/security/policy/layer3.rst). It cannot share an egress item with other peers.
 */
import type { DomainDestination } from '../api/egress-destination.ts';
import type { EgressPolicySpec, EgressPort, EgressRule } from '../api/egress-policy.ts';
import { canonicalMap, canonicalSet } from './canonical.ts';
import { NEVER_OPENED } from './cidr.ts';
import type { EmitRequest } from './emit.ts';
import type { ResolverFacts } from './facts.ts';
import { type DesiredObject, OUTPUT_SHORT_KIND, outputMeta } from './names.ts';
import { hasDomains, resolvesNames } from './requirements.ts';

type Item = Readonly<Record<string, unknown>>;

/** Identity labels that Cilium derives itself: a workload cannot set them. `k8s:` is their source. */
const SERVICE_ACCOUNT = 'k8s:io.cilium.k8s.policy.serviceaccount';
const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';

export function emitCilium(request: EmitRequest): readonly DesiredObject[] {
  const { spec, facts, subject } = request;
  const items = spec.allow.flatMap(ruleItems);
  if (resolvesNames(spec) && facts.dns !== undefined) items.push(resolverItem(spec, facts.dns));
  return [
    {
      apiVersion: 'cilium.io/v2',
      kind: 'CiliumNetworkPolicy',
      metadata: outputMeta(request.owner, OUTPUT_SHORT_KIND),
      spec: {
        endpointSelector: { matchLabels: { [SERVICE_ACCOUNT]: subject.serviceAccountName } },
        enableDefaultDeny: { egress: true, ingress: false },
        // One empty item allows nothing and selects the pod for egress: Cilium's form of "deny everything". An empty list
        // would make the agent refuse the policy.
        egress: items.length === 0 ? [{}] : canonicalSet(items),
        // Whoever answers for an allowed name chooses its address, and could choose one of the node or of its cloud.
        ...(hasDomains(spec) ? { egressDeny: [{ toCIDR: NEVER_OPENED }] } : {}),
      },
    },
  ];
}

function ruleItems(rule: EgressRule): Item[] {
  const toPorts = [{ ports: canonicalSet(rule.ports.map(port)) }];
  const domains = rule.to.flatMap((to) => (to.domain === undefined ? [] : [fqdn(to.domain)]));
  const blocks = rule.to.flatMap((to) => {
    if (to.cidr === undefined) return [];
    const except = canonicalSet(to.cidr.except ?? []);
    return [{ cidr: to.cidr.block, ...(except.length === 0 ? {} : { except }) }];
  });
  const endpoints = rule.to.flatMap((to) =>
    to.workloads === undefined ? [] : [pods(to.workloads.namespace, to.workloads.podLabels)],
  );
  const items: Item[] = [];
  if (domains.length > 0) items.push({ toFQDNs: canonicalSet(domains), toPorts });
  if (blocks.length > 0) items.push({ toCIDRSet: canonicalSet(blocks), toPorts });
  if (endpoints.length > 0) items.push({ toEndpoints: canonicalSet(endpoints), toPorts });
  if (rule.to.some((to) => to.kubeAPIServer !== undefined)) items.push({ toEntities: ['kube-apiserver'], toPorts });
  return items;
}

function fqdn(domain: DomainDestination): Item {
  if (domain.name !== undefined) return { matchName: domain.name };
  // `**.` is any depth since 1.19.0; older agents read it as one label, and an upgrade would widen it. The capability
  // domain.anyDepth is Supported from that version on only.
  return { matchPattern: `${domain.depth === 'AnyDepth' ? '**' : '*'}.${domain.suffix}` };
}

function resolverItem(spec: EgressPolicySpec, dns: ResolverFacts): Item {
  const ports = canonicalSet([
    { port: '53', protocol: 'UDP' },
    { port: '53', protocol: 'TCP' },
  ]);
  const names = spec.allow.flatMap((rule) =>
    rule.to.flatMap((to) => (to.domain === undefined ? [] : [fqdn(to.domain)])),
  );
  const filter = spec.dns.queries === 'AllowedDomainsOnly' ? canonicalSet(names) : [{ matchPattern: '*' }];
  // Without domains and without a filter no answer has to be learnt, and no proxy has to be in the way.
  const proxied = hasDomains(spec) || spec.dns.queries === 'AllowedDomainsOnly';
  return {
    toEndpoints: [pods(dns.namespace, dns.podLabels)],
    toPorts: [proxied ? { ports, rules: { dns: filter } } : { ports }],
  };
}

function pods(namespace: string, podLabels: Readonly<Record<string, string>>): Item {
  const labels = Object.entries(podLabels).map(([key, value]) => [`k8s:${key}`, value] as const);
  return { matchLabels: canonicalMap({ ...Object.fromEntries(labels), [NAMESPACE]: namespace }) };
}

function port({ protocol, port: first, endPort }: EgressPort): Item {
  return { port: String(first), protocol, ...(endPort === undefined || endPort === first ? {} : { endPort }) };
}
