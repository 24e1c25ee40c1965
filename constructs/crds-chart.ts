import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ReleasedChartProps } from './agentplane-chart.ts';
import { addCommonMetadata } from './common-metadata.ts';
import { spread } from './expr/fragment.ts';
import type { JsonMap } from './expr/json.ts';
import { chartLabels } from './labels.ts';
import { crdsValues } from './values/crds.ts';
import { valueRefs } from './values/refs.ts';

/** A CustomResourceDefinition as crds/*.yaml holds it. */
export interface CrdManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: JsonMap;
}

export interface CrdsChartProps extends ReleasedChartProps {
  readonly crds: readonly CrdManifest[];
}

/**
 * The CRDs as templates, so that an upgrade changes them (Helm never touches its `crds/` folder again after the first
 * install), and kept when a rollback or an uninstall would delete them: with a CRD goes every policy of that kind.
 */
export class CrdsChart extends Chart {
  constructor(scope: Construct, id: string, props: CrdsChartProps) {
    super(scope, id, { disableResourceNameHashes: true });
    const values = valueRefs(crdsValues);
    for (const crd of props.crds) {
      new ApiObject(this, crd.metadata.name, {
        ...crd,
        metadata: {
          ...crd.metadata,
          labels: { ...crd.metadata.labels, ...chartLabels('agentplane-crds', props.version) },
          annotations: {
            ...crd.metadata.annotations,
            'helm.sh/resource-policy': 'keep',
            ...spread(values.annotations),
          },
        },
      });
    }
    addCommonMetadata(this, values);
  }
}
