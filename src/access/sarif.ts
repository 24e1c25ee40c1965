/**
 * Findings in the format that code hosts and reviewers' tools read: SARIF 2.1.0 (OASIS). One rule for each danger, one result for each finding. Pure.
 */
import { printable, printableJson } from '../text/printable.ts';
import { BROAD_SUBJECTS } from './broad-subjects.ts';
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { DANGEROUS_PATHS } from './dangerous-path.ts';
import type { Severity } from './dangerous-right.ts';
import type { Finding } from './findings.ts';
import { titleOf } from './render.ts';
import type { IdentityAccess } from './report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  High: 'error',
  Medium: 'warning',
  Info: 'note',
};

/** Dangers that are not about one right of a rule. */
const OTHER_RULES: readonly Rule[] = [
  { id: 'Wildcard', severity: 'High', why: 'a wildcard grants what nobody listed, also what comes later' },
  { id: 'BroadSubject', severity: 'High', why: `the subject stands for many: ${BROAD_SUBJECTS[0]?.who}` },
  { id: 'ClusterWide', severity: 'Medium', why: 'the right is granted in every namespace, also those that come later' },
  {
    id: 'RightsUnknown',
    severity: 'Medium',
    why: 'what is granted is not among what was read, so that nobody can review it',
  },
];

interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly why: string;
}

/** `version` is that of this program. */
export function renderAccessSarif(identities: readonly IdentityAccess[], version: string): string {
  const rules = [...DANGEROUS_RIGHTS, ...DANGEROUS_PATHS, ...OTHER_RULES];
  return printableJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'agentplane rbac-report', version, rules: rules.map(ruleOf) },
        },
        results: identities.flatMap((identity) =>
          identity.findings.map((finding) => resultOf(identity, finding, rules)),
        ),
      },
    ],
  });
}

function ruleOf({ id, severity, why }: Rule): object {
  return { id, shortDescription: { text: why }, defaultConfiguration: { level: LEVELS[severity] } };
}

function resultOf(identity: IdentityAccess, finding: Finding, rules: readonly Rule[]): object {
  const { id, severity, right, why, binding, role, namespace, source } = finding;
  const where = namespace === undefined ? 'everywhere' : `in namespace ${namespace}`;
  const named = `${role.kind} ${role.name}`;
  return {
    ruleId: id,
    ruleIndex: rules.findIndex((rule) => rule.id === id),
    level: LEVELS[severity],
    message: {
      text: plainMessage(
        printable(`${titleOf(identity)}, ${where}: ${right}: ${why} (${binding.kind} ${binding.name}, ${named})`),
      ),
    },
    locations: [
      {
        ...(source.file === '' ? {} : { physicalLocation: physicalLocation(source) }),
        logicalLocations: [
          { fullyQualifiedName: printable(`${namespace ?? ''}/${role.kind}/${role.name}`), kind: 'resource' },
        ],
      },
    ],
    partialFingerprints: {
      'agentplane/v1': printable(
        [id, identity.kind, identity.namespace, identity.name, namespace, role.kind, role.name, right].join('/'),
      ),
    },
  };
}

/** In a message `[text](target)` is a link and `{0}` a placeholder, also where it is plain text (SARIF 2.1.0, 3.11.5 and 3.11.6). */
function plainMessage(text: string): string {
  return text.replace(/[\\[\]]/g, '\\$&').replace(/[{}]/g, '$&$&');
}

function physicalLocation({ file, line }: Finding['source']): object {
  // By segments: in a path as a whole, `?`, `#` and an early colon would make it lead elsewhere.
  const uri = file.split('/').map(encodeURIComponent).join('/');
  return { artifactLocation: { uri }, region: { startLine: line(['rules']) } };
}
