import { Document, stringify, visit } from 'yaml';
import type { ChangelogEntry } from '../lib/changelog.ts';
import { generatedHeader } from './generated.ts';

export interface ChartYamlProps {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly kubeVersion?: string | undefined;
  readonly changes: readonly ChangelogEntry[];
  readonly artifactHub: Readonly<Record<string, string>>;
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
    annotations: annotationsOf(props),
  };
  const document = new Document(chart);
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.includes('\n')) scalar.type = 'BLOCK_LITERAL';
    },
  });
  const text = document.toString({ lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
  return `${generatedHeader('package.json, CHANGELOG.md and scripts/synth')}\n${text}`;
}

/** Keys and their forms: https://artifacthub.io/docs/topics/annotations/helm/ */
function annotationsOf({ changes, artifactHub }: ChartYamlProps): Readonly<Record<string, string>> {
  const shown = {
    category: 'security',
    changes: stringify(changes, { lineWidth: 0 }),
    license: 'Apache-2.0',
    operator: 'true',
    ...artifactHub,
  };
  return Object.fromEntries(Object.entries(shown).map(([key, text]) => [`artifacthub.io/${key}`, text]));
}
