/** What an API server refuses outside `spec`: names, namespaces, and fields that do not exist. Pure. */
import { dnsLabel, objectName } from '../api/dialect.ts';
import type { Problem } from '../api/kind.ts';
import type { KubeObject } from '../kube/types.ts';
import { didYouMean } from '../text/nearest.ts';

const FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

const NAMES = [
  {
    path: 'metadata.name',
    schema: objectName('The name.'),
    rule: 'must be lower-case letters, digits, "-" and ".", and start and end with a letter or digit',
  },
  {
    path: 'metadata.namespace',
    schema: dnsLabel('The namespace.'),
    rule: 'must be at most 63 lower-case letters, digits and "-", and start and end with a letter or digit',
  },
];

const NAMELESS: Problem = {
  path: 'metadata.generateName',
  message: 'policies and profiles are known by their names, which others refer to: write metadata.name instead',
};

/** As src/manifests/parse.ts makes one, which no API server does. */
function hasGeneratedName({ metadata }: KubeObject): boolean {
  return typeof metadata.generateName === 'string' && metadata.name === `${metadata.generateName}%`;
}

export function envelopeProblems(object: KubeObject): readonly Problem[] {
  const unknown = Object.keys(object).filter((field) => !FIELDS.includes(field));
  const { name, namespace } = object.metadata;
  const wrong = NAMES.filter(({ schema }, i) => !schema.safeParse([name, namespace][i]).success);
  return [
    ...unknown.map((field) => ({ path: field, message: `there is no such field${didYouMean(field, FIELDS)}` })),
    ...(hasGeneratedName(object) ? [NAMELESS] : wrong.map(({ path, rule }) => ({ path, message: rule }))),
  ];
}
