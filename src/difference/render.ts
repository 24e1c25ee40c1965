/** What would change, as it is printed. */
import { describeRefusals, nameOf } from '../explain/describe.ts';
import { withLines } from '../explain/explain.ts';
import { printable, printableJson } from '../text/printable.ts';
import type { Paint } from '../text/table.ts';
import type { AccountChange, Difference } from './difference.ts';
import type { PlannedObject } from './plan.ts';

export interface DifferencePainter {
  readonly title: Paint;
  readonly opens: Paint;
  readonly closes: Paint;
}

export function renderDifference(differences: readonly Difference[], paint: DifferencePainter): string {
  return differences
    .flatMap(({ profiles, policies, accounts }) => [
      ...[...profiles, ...policies].map(describeObject),
      ...accounts.map((account) => describeAccount(account, paint)),
    ])
    .join('\n');
}

function describeObject(planned: PlannedObject): string {
  const { change, consequence } = planned;
  const head = headOf(planned);
  if (head.refusals.length === 0) return `${nameOf(head)}: ${CHANGES[change]}`;
  const then = consequence === undefined ? [] : [printable(`  then: ${consequence}`)];
  return [describeRefusals(head), ...then].join('\n');
}

const CHANGES = { New: 'new', Changed: 'changed', Unchanged: 'spec unchanged' } as const;

function describeAccount(account: AccountChange, paint: DifferencePainter): string {
  const { namespace, serviceAccountName, opens, closes } = account;
  const title = paint.title(printable(`ServiceAccount ${namespace}/${serviceAccountName}`));
  if (opens.length + closes.length === 0) return `${title}: may reach what it may reach now`;
  return [
    `${title}:`,
    ...opens.map((text) => paint.opens(printable(`  + ${text}`))),
    ...closes.map((text) => paint.closes(printable(`  - ${text}`))),
  ].join('\n');
}

/** The fields are described in docs/cli.md; none is ever renamed or removed. */
export function renderDifferenceJson(differences: readonly Difference[]): string {
  return printableJson({
    objects: differences.flatMap(({ profiles, policies }) =>
      [...profiles, ...policies].map((planned) => ({
        ...headOf(planned),
        change: planned.change,
        consequence: planned.consequence ?? null,
      })),
    ),
    accounts: differences.flatMap(({ accounts }) => accounts),
  });
}

function headOf({ object, manifest, refusals }: PlannedObject) {
  const { kind, metadata } = object;
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    file: manifest?.source.file ?? 'the cluster',
    refusals: withLines(manifest?.source, refusals),
  };
}
