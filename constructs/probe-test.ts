import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { release } from './expr/expr.ts';
import { spread } from './expr/fragment.ts';
import { hardenedPod, program, raw } from './hardened-deployment.ts';
import { selectorLabels } from './labels.ts';
import { manifest } from './manifest.ts';
import { names } from './names.ts';
import type { ComponentProps } from './operator.ts';
import { probeArgs } from './probe-args.ts';

/** `helm test`: one run of the probe, whose table is in its log. It runs as the probe, behind the same fence, and publishes what it finds. */
export class ProbeTest extends Construct {
  constructor(scope: Construct, id: string, { values, labels, version }: ComponentProps) {
    super(scope, id);
    const run = {
      name: names.probe,
      component: 'probe',
      values,
      labels,
      version,
      args: [...probeArgs(values, version), '--once', '--publish'],
      resources: raw<NonNullable<V1Container['resources']>>(values.probe.resources),
    };
    const hook = { 'helm.sh/hook': 'test', 'helm.sh/hook-delete-policy': 'before-hook-creation' };
    manifest<V1Pod>(this, 'pod', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${names.probe}-test`,
        namespace: `${release.namespace}`,
        labels: { ...labels, ...selectorLabels('probe'), ...spread(values.podLabels) },
        annotations: { ...hook, ...spread(values.podAnnotations) },
      },
      spec: { ...hardenedPod(run), restartPolicy: 'Never', containers: [program(run)] },
    });
  }
}
