import { stringify } from 'yaml';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { grants, type Identity } from '../../rbac/rules.ts';
import { accessReport } from './access-report.ts';
import type { ChartDefinition } from './chart-definition.ts';
import type { Files } from './chart-files.ts';
import { example } from './example.ts';
import { generatedHeader } from './generated.ts';
import { synthStatic } from './synth-static.ts';

/** rbac/<identity>.yaml with every Role and RoleBinding of the identity, and rbac/ACCESS.md. */
export function rbacFiles(charts: readonly ChartDefinition[]): Files {
  const rendered = charts.flatMap((chart) => synthStatic(chart, example.values[chart.name] ?? {}, example.release));
  const identities = [...new Set(grants.map((grant) => grant.identity))];
  return new Map([
    ...identities.map((identity): [string, string] => [`rbac/${identity}.yaml`, rolesYaml(identity, rendered)]),
    ['rbac/ACCESS.md', accessReport()],
  ]);
}

function rolesYaml(identity: Identity, rendered: readonly JsonMap[]): string {
  const bindings = rendered.filter((object) => object.kind === 'RoleBinding' && isBoundTo(object, identity));
  const objects = bindings.flatMap((binding) => [roleOf(binding, rendered), binding]);
  const documents = objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`);
  return `${generatedHeader('rbac/rules.ts')}\n# As rendered for namespace agents, governed by an install in agentplane-system, with Cilium, admission policies and one Secret listed.\n${documents.join('')}`;
}

function isBoundTo(binding: JsonMap, identity: Identity): boolean {
  const subjects = binding.subjects as readonly JsonMap[];
  return subjects.some((subject) => subject.name === identity);
}

function roleOf(binding: JsonMap, rendered: readonly JsonMap[]): JsonMap {
  const { name, namespace } = binding.metadata as { name: string; namespace: string };
  const role = rendered.find((object) => {
    const metadata = object.metadata as JsonMap;
    return object.kind === 'Role' && metadata.name === name && metadata.namespace === namespace;
  });
  if (role === undefined) throw new Error(`the RoleBinding ${namespace}/${name} refers to no rendered Role`);
  return role;
}
