import { type Lack, lacks } from '../../rbac/lacks.ts';
import { type Grant, grants, type Identity, type Rule } from '../../rbac/rules.ts';
import { markdownTable } from '../../src/text/markdown-table.ts';
import { generatedNotice } from './generated.ts';

/** rbac/ACCESS.md: per identity what it may do and why, and what it deliberately lacks. */
export function accessReport(): string {
  const identities = [...new Set(grants.map((grant) => grant.identity))];
  return [
    `<!-- ${generatedNotice('rbac/rules.ts and rbac/lacks.ts')} -->`,
    '',
    '# Who may do what',
    '',
    'Every right below is granted by a namespaced Role. There is no wildcard, no verb on RBAC objects, and no Secret can be',
    'read but by the names that the values list. In the column namespace, governed stands for each of `governedNamespaces`, install for',
    'the namespace of the release, probe for `probe.namespace`. One ClusterRole exists where agentplane-cluster lists `runtimeClasses`: the',
    'inventory may `get` these, by name.',
    '',
    ...identities.flatMap(identitySection),
    ...installerSection(),
  ].join('\n');
}

function identitySection(identity: Identity): string[] {
  const granted = grants.filter((grant) => grant.identity === identity);
  return [
    `## ${identity}`,
    '',
    ...markdownTable(
      ['namespace', 'resource', 'verbs', 'why'],
      granted.flatMap((grant) => grant.rules.map((rule) => ruleRow(grant, rule))),
    ),
    '',
    'It deliberately lacks, among everything else that is not listed above:',
    '',
    ...markdownTable(
      ['where', 'resource', 'verbs', 'because'],
      lackRows(lacks.filter((lack) => lack.identity === identity)),
    ),
    '',
  ];
}

function ruleRow(grant: Grant, rule: Rule): string[] {
  const condition = rule.when === undefined ? '' : ` Only with \`${rule.when}\`.`;
  return [...rightCells(grant, rule), `${rule.why}${condition}`];
}

function rightCells(grant: Grant, rule: Rule): string[] {
  return [grant.namespace, `${resourceName(rule)}${limitsOf(rule)}`, rule.verbs.join(', ')];
}

function limitsOf({ resourceNames, resourceNamesFrom }: Rule): string {
  if (resourceNamesFrom !== undefined) return `, names listed in ${quoted(resourceNamesFrom)}`;
  return resourceNames === undefined ? '' : `, named ${resourceNames.map(quoted).join(', ')}`;
}

/** One row for a lack that holds in several namespaces. */
function lackRows(of: readonly Lack[]): string[][] {
  const same = Map.groupBy(of, (lack) => JSON.stringify([resourceName(lack), lack.verbs, lack.why]));
  return [...same.values()].flatMap((lacks) => {
    const [first] = lacks;
    if (first === undefined) return [];
    const where = lacks.map((lack) => lack.namespace).join(', ');
    return [[where, resourceName(first), first.verbs.join(', '), first.why]];
  });
}

function installerSection(): string[] {
  return [
    '## Who installs',
    '',
    'Kubernetes lets nobody grant what they do not hold. Installing `agentplane` therefore needs the built-in role `admin` in the',
    'release namespace and in every governed namespace, plus, where `admin` does not hold them already:',
    '',
    ...markdownTable(
      ['namespace', 'resource', 'verbs'],
      grants
        .filter((grant) => grant.chart === 'agentplane')
        .flatMap((grant) => grant.rules.map((rule) => rightCells(grant, rule))),
    ),
    '',
    'With `probe.enabled`, the same in `probe.namespace`.',
    '',
    'Installing `agentplane-cluster` needs the same in `kube-system` for the rules listed there; `agentplane-crds` needs the verbs of',
    'Helm (`get`, `create`, `patch`) on CustomResourceDefinitions.',
    '',
  ];
}

function resourceName(of: { readonly apiGroup: string; readonly resource: string }): string {
  return quoted(of.apiGroup === '' ? of.resource : `${of.resource}.${of.apiGroup}`);
}

function quoted(text: string): string {
  return `\`${text}\``;
}
