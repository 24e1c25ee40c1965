import { release } from './expr/expr.ts';

type Labels = Readonly<Record<string, string>>;

/** What selects the pods of a component. Immutable in a Deployment: it holds nothing that a release or a version changes. */
export function selectorLabels(component: string): Labels {
  return { 'app.kubernetes.io/name': 'agentplane', 'app.kubernetes.io/component': component };
}

/** The labels of every object of a chart. `version` is that of the chart. */
export function chartLabels(chart: string, version: string): Labels {
  return {
    'app.kubernetes.io/name': 'agentplane',
    'app.kubernetes.io/instance': `${release.name}`,
    'app.kubernetes.io/version': version,
    'app.kubernetes.io/managed-by': `${release.service}`,
    'app.kubernetes.io/part-of': 'agentplane',
    'helm.sh/chart': `${chart}-${version.replace('+', '_')}`,
  };
}
