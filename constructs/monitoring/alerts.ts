/** What somebody should be told of, as data. Thresholds are times in which the operator heals by itself, and some room. */
import { names } from '../names.ts';

export interface Alert {
  readonly name: string;
  /** Rendered where this runs: without it an alert is silent, or cries that nobody leads. */
  readonly watches: 'operator' | 'probe' | 'all';
  /** PromQL about the metrics of one install: `$SELECT` stands for the matcher of its namespace. */
  readonly expression: string;
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  /** What it means, and what to do. */
  readonly description: string;
}

/** Stands in an expression for `namespace="…"`. */
export const SELECT = '$SELECT';

/**
 * Refused requests. Of the inventory those about its report alone: what else it reads belongs to the cluster, and an install that no platform
 * admin has listed is refused it by design, at each look. The label `job` is the name of the Service that is scraped.
 */
const REFUSED = [
  `increase(agentplane_kube_requests_total{${SELECT}, code="403", job!="${names.inventory}"}[10m])`,
  `increase(agentplane_kube_requests_total{${SELECT}, code="403", job="${names.inventory}", resource=~"capabilityreports[.].*"}[10m])`,
].join(' or ');

export const ALERTS: readonly Alert[] = [
  {
    name: 'AgentPlaneNoLeader',
    watches: 'operator',
    expression: `max(agentplane_leading{${SELECT}}) < 1 or absent(agentplane_leading{${SELECT}})`,
    // A lease runs out after seconds; a rollout replaces every replica.
    for: '5m',
    severity: 'critical',
    summary: 'No operator of AgentPlane leads.',
    description:
      'What is in force stays so, and new policies wait: nothing opens. Look at the pods of the Deployment agentplane-operator, and at the Lease of that name.',
  },
  {
    name: 'AgentPlaneNotInForce',
    watches: 'operator',
    expression: `max by (kind) (sum by (kind, pod) (agentplane_objects{${SELECT}, ready=~"False|Unknown"})) > 0`,
    for: '15m',
    severity: 'warning',
    summary: '{{ $value }} objects of the kind {{ $labels.kind }} are not in force as they are written.',
    description:
      'Each says why: agentplane status --all-namespaces, or kubectl get egresspolicies,runtimeprofiles,secretbindings,policybundles -A.',
  },
  {
    name: 'AgentPlaneNotJudged',
    watches: 'operator',
    expression: `max by (kind) (agentplane_objects{${SELECT}, ready="NotJudged"}) > 0`,
    for: '5m',
    severity: 'warning',
    summary: 'The newest spec of {{ $value }} objects of the kind {{ $labels.kind }} has not been judged.',
    description: 'It takes a moment usually. Look at the logs of the operator that leads, and at AgentPlaneForbidden.',
  },
  {
    name: 'AgentPlaneForbidden',
    watches: 'all',
    expression: `sum by (verb, resource) (${REFUSED}) > 0`,
    for: '10m',
    severity: 'warning',
    summary: 'AgentPlane may not {{ $labels.verb }} {{ $labels.resource }}.',
    description:
      'Somebody took a right away, or an admission policy refuses. Upgrade the release, whose chart renders its Roles; Secrets have to be listed in ' +
      'governedNamespaces. What the inventory may read of the cluster is not counted: the chart agentplane-cluster grants it to the installs that it lists.',
  },
  {
    name: 'AgentPlaneContested',
    watches: 'operator',
    expression: `sum(increase(agentplane_drift_total{${SELECT}, outcome="contested"}[15m])) > 0`,
    for: '0m',
    severity: 'warning',
    summary: 'Another manager undoes what AgentPlane restores.',
    description:
      'The object was removed, and the floor alone is in force. The condition Degraded of the policy names the manager: let only one of the two decide.',
  },
  {
    name: 'AgentPlaneProbeFailed',
    watches: 'probe',
    expression: `max(agentplane_probe_results{${SELECT}, result="Failed"}) > 0`,
    // By what the report says now: two runs may be a day apart.
    for: '0m',
    severity: 'critical',
    summary: 'Packets got through that must not, or the other way round.',
    description:
      'The network provider does not enforce policies as they are written. kubectl get capabilityreport cluster -o yaml names the attempt.',
  },
  {
    name: 'AgentPlaneSlow',
    watches: 'operator',
    expression: `histogram_quantile(0.99, sum by (le, controller) (rate(agentplane_reconcile_duration_seconds_bucket{${SELECT}}[10m]))) > 5`,
    for: '15m',
    severity: 'warning',
    summary: 'One reconcile of {{ $labels.controller }} in a hundred takes more than five seconds.',
    description: 'Most of that is the API server: compare agentplane_kube_request_duration_seconds.',
  },
];
