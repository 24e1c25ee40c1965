import { App } from 'cdk8s';
import type { JsonMap } from '../../constructs/expr/json.ts';
import type { ChartDefinition } from './chart-definition.ts';
import { coalesce } from './coalesce.ts';
import { staticManifests } from './static.ts';
import { defaultValues } from './values-yaml.ts';

export interface ReleaseProps {
  readonly name: string;
  readonly namespace: string;
}

/**
 * What the chart renders to with these values, without Helm. The values are taken to satisfy the schema.
 *
 * @throws RefusedValues if a rule of the chart refuses them.
 */
export function synthStatic(definition: ChartDefinition, values: JsonMap, release: ReleaseProps): readonly JsonMap[] {
  return staticManifests(definition.build(new App()), {
    Values: coalesce(defaultValues(definition.values), values),
    Release: { Name: release.name, Namespace: release.namespace, Service: 'Helm' },
    variables: {},
  });
}
