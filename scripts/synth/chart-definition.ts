import type { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { JsonMap } from '../../constructs/expr/json.ts';
import type { AnyObjectField } from '../../constructs/values/model.ts';
import type { Notes } from './notes.ts';

/** Everything that makes a chart. Both back-ends and the tests start from here. */
export interface ChartDefinition {
  readonly name: string;
  readonly description: string;
  readonly values: AnyObjectField;
  /** Versions of Kubernetes that Helm accepts. */
  readonly kubeVersion?: string;
  /** Builds the constructs. Called once per rendering: a construct tree belongs to one cdk8s App. */
  readonly build: (app: Construct) => Chart;
  readonly notes: Notes;
  /** What Artifact Hub shows of this chart alone: annotations without their prefix. */
  readonly artifactHub?: Readonly<Record<string, string>>;
  /** Markdown of the README, without the values. */
  readonly readme: readonly string[];
  /** Value files that linters, chart-testing and our own tests render: `ci/<name>-values.yaml`. */
  readonly fixtures: Readonly<Record<string, JsonMap>>;
}
