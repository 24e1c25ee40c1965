import { type Expr, release, text } from './expr/expr.ts';
import { all, choose, isSet, join, pairs, pluck } from './expr/operators.ts';
import { imageReference } from './hardened-deployment.ts';
import { names, ports } from './names.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';
import type { ProbeRefs } from './values/probe.ts';

/** The command line of the probe, but for what a Deployment and a test have each of its own. */
export function probeArgs(values: AgentplaneRefs, version: string): readonly string[] {
  const { probe, operator, apiServer, image } = values;
  return [
    'probe',
    `--namespace=${probe.namespace}`,
    `--install-namespace=${release.namespace}`,
    `--capability-report=${names.capabilityReport}`,
    `--image=${imageReference(image, version)}`,
    `--image-pull-policy=${image.pullPolicy}`,
    `--image-pull-secrets=${join(pluck(probe.imagePullSecrets, 'name'), ',')}`,
    `--node-selector=${join(pairs(probe.nodeSelector), ',')}`,
    `--report-max-age-seconds=${operator.reportMaxAgeSeconds}`,
    `--cluster-domain=${operator.clusterDomain}`,
    `--api-server-port=${apiServer.port}`,
    `--interval-seconds=${probe.intervalSeconds}`,
    `--expiry-seconds=${probe.expirySeconds}`,
    ...targetArgs(probe.targets),
  ];
}

export function serviceArgs({ probe }: AgentplaneRefs): readonly string[] {
  return [`--metrics-port=${ports.metrics}`, `--health-port=${ports.health}`, `--log-level=${probe.logLevel}`];
}

function targetArgs({ ipv4, ipv6, names: pair, suffix, resolver }: ProbeRefs['targets']): readonly string[] {
  const address = (part: 'allowed' | 'denied') =>
    `${whenSet([ipv4[part]], `${ipv4[part]}:${ipv4.port}`)},${whenSet([ipv6[part]], `[${ipv6[part]}]:${ipv6.port}`)}`;
  const below = (labels: Expr<string>) => whenSet([suffix.name, labels], `${labels}.${suffix.name}:${suffix.port}`);
  return [
    `--allowed-addresses=${address('allowed')}`,
    `--denied-addresses=${address('denied')}`,
    `--allowed-name=${whenSet([pair.allowed], `${pair.allowed}:${pair.port}`)}`,
    `--denied-name=${whenSet([pair.denied], `${pair.denied}:${pair.port}`)}`,
    `--one-label-name=${below(suffix.oneLabel)}`,
    `--two-label-name=${below(suffix.twoLabels)}`,
    `--other-resolver=${resolver}`,
  ];
}

function whenSet(parts: readonly Expr<string>[], whole: string): Expr<string> {
  return choose(all(...parts.map((part) => isSet(part))), text(whole), '');
}
