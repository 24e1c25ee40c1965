import { stringify } from 'yaml';
import { generatedHeader } from './generated.ts';

export interface ChartYamlProps {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly kubeVersion?: string | undefined;
}

export function chartYaml(props: ChartYamlProps): string {
  const chart = {
    apiVersion: 'v2',
    name: props.name,
    description: props.description,
    type: 'application',
    version: props.version,
    appVersion: props.version,
    ...(props.kubeVersion === undefined ? {} : { kubeVersion: props.kubeVersion }),
    keywords: ['agents', 'egress', 'governance', 'network-policy', 'sandbox'],
    maintainers: [{ name: 'AgentPlane maintainers' }],
    annotations: {
      'artifacthub.io/category': 'security',
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/operator': 'true',
    },
  };
  return `${generatedHeader('package.json and scripts/synth')}\n${stringify(chart, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' })}`;
}
