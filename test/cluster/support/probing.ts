/** The probe on a test cluster: with the targets outside of it, run when a test says so. */
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { CapabilityReportStatus } from '../../../src/api/capability-report.ts';
import { installAgentPlane, restrictedNamespace } from '../../support/install.ts';
import { CANARIES, GOVERNED, INSTALL, type Site } from './site.ts';

const DEPLOYMENT = 'deployment/agentplane-probe';
const POD = 'agentplane-probe-by-hand';

/** Upgrades the release, and returns when the first results are there. From then on runs are made by `probeOnce` alone. */
export async function enableProbe(site: Site): Promise<void> {
  const { kubectl, helmClient: helm, image } = site;
  await kubectl.apply([restrictedNamespace(CANARIES)]);
  const values = { probe: { enabled: true, namespace: CANARIES, targets: targetsOf(site) } };
  await installAgentPlane({ kubectl, helm, image, install: 'test', governedNamespaces: [GOVERNED], values });
  await kubectl.run('scale', '-n', INSTALL, DEPLOYMENT, '--replicas=0');
  await kubectl.run(
    'wait',
    '-n',
    INSTALL,
    '--for=delete',
    'pod',
    '-l',
    'app.kubernetes.io/component=probe',
    '--timeout=60s',
  );
}

function targetsOf({ targets: { addresses } }: Site): JsonMap {
  return {
    ipv4: { allowed: addresses.api, denied: addresses.evil, port: 80 },
    names: { allowed: 'api.example.test', denied: 'evil.example.test', port: 80 },
    suffix: { name: 'cdn.example.test', oneLabel: 'a', twoLabels: 'a.b', port: 80 },
    resolver: addresses.resolver,
  };
}

export interface ProbeRun {
  readonly exitCode: number;
  readonly output: string;
}

interface PodStatus {
  readonly phase?: string;
  readonly containerStatuses?: readonly { readonly state?: { readonly terminated?: { readonly exitCode: number } } }[];
}

/** One run with the flags of the Deployment and others in their place, as the probe, from a pod like its own. */
export async function probeOnce({ kubectl }: Site, ...flags: readonly string[]): Promise<ProbeRun> {
  const deployment = await kubectl.get<{ spec: { template: { spec: PodSpec } } }>(DEPLOYMENT, '-n', INSTALL);
  if (deployment === undefined) throw new Error('the probe is not installed');
  const { spec } = deployment.spec.template;
  const containers = spec.containers.map(
    ({ startupProbe: _s, livenessProbe: _l, readinessProbe: _r, ...container }) => ({
      ...container,
      args: [...container.args.filter((arg) => !flags.includes(arg.split('=')[0] ?? '')), '--once', ...flags],
    }),
  );
  const labels = { 'app.kubernetes.io/name': 'agentplane', 'app.kubernetes.io/component': 'probe' };
  const metadata = { name: POD, namespace: INSTALL, labels };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, containers, restartPolicy: 'Never' } };
  await kubectl.remove([pod]);
  await kubectl.apply([pod]);
  const exitCode = await waitFor('the run of the probe', { timeoutMs: 170_000, intervalMs: 500 }, async () => {
    const seen = await kubectl.get<{ status?: PodStatus }>('pod', '-n', INSTALL, POD);
    const code = seen?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
    return code === undefined ? { done: false, saw: JSON.stringify(seen?.status) } : { done: true, value: code };
  });
  return { exitCode, output: await kubectl.run('logs', '-n', INSTALL, POD) };
}

interface PodSpec {
  readonly containers: readonly (Readonly<Record<string, unknown>> & { readonly args: readonly string[] })[];
}

/** `capability: result/reason`, as the report has it. */
export async function enforcement({ kubectl }: Site): Promise<Readonly<Record<string, string>>> {
  const report = await kubectl.get<{ status?: CapabilityReportStatus }>('capabilityreport', '-n', INSTALL, 'cluster');
  const results = report?.status?.enforcement ?? [];
  return Object.fromEntries(results.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]));
}
