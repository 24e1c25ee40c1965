import { App, type Chart } from 'cdk8s';
import { stringify } from 'yaml';
import type { ChangelogEntry } from '../lib/changelog.ts';
import type { ChartDefinition } from './chart-definition.ts';
import { chartYaml } from './chart-yaml.ts';
import { generatedHeader, generatedNotice } from './generated.ts';
import { helpers } from './go-template.ts';
import { helmTemplate } from './helm-template.ts';
import { notesTemplate } from './notes.ts';
import { chartReadme } from './readme.ts';
import { valuesSchema } from './values-schema.ts';
import { valuesYaml } from './values-yaml.ts';

/** Path inside the repository to content. */
export type Files = ReadonlyMap<string, string>;

/** Every file of a chart. */
export function chartFiles(definition: ChartDefinition, version: string, changes: readonly ChangelogEntry[]): Files {
  const { name, description, values, kubeVersion } = definition;
  const templates = templateFiles(definition.build(new App()));
  const notes = notesTemplate(definition.notes);
  const usesHelpers = [...templates.values(), notes].some((template) => template.includes('include "agentplane.'));
  const files: [string, string][] = [
    [
      'Chart.yaml',
      chartYaml({ name, description, version, kubeVersion, changes, artifactHub: definition.artifactHub ?? {} }),
    ],
    ['values.yaml', valuesYaml(values)],
    ['values.schema.json', `${visible(JSON.stringify(valuesSchema(name, values), null, 2))}\n`],
    ['README.md', chartReadme({ name, description, values, body: definition.readme })],
    ['.helmignore', `${generatedHeader('scripts/synth')}\nci/\n`],
    ['templates/NOTES.txt', `${templateHeader}${notes}`],
    ...(usesHelpers ? [['templates/_helpers.tpl', `${templateHeader}${helpers}`] as [string, string]] : []),
    ...[...templates].map(([file, text]): [string, string] => [`templates/${file}`, `${templateHeader}${text}`]),
    ...Object.entries(definition.fixtures).map(([fixture, content]): [string, string] => [
      `ci/${fixture}-values.yaml`,
      `${generatedHeader('scripts/synth')}\n${stringify(content, { lineWidth: 0 })}`,
    ]),
  ];
  return new Map(files.map(([file, text]) => [`charts/${name}/${file}`, text]));
}

/** A comment of the template language: it leaves nothing in what is rendered. */
const templateHeader = `{{- /* ${generatedNotice('constructs')} */ -}}\n`;

function templateFiles(chart: Chart): Files {
  return new Map(chart.node.children.map((child) => [`${child.node.id}.yaml`, helmTemplate(child)]));
}

/** JSON may escape any character: no reader should have to guess what stands there. */
function visible(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
