/** The statuses of policies as they are printed. */

import { boundedText } from '../kube/text.ts';
import { printable, printableJson } from '../text/printable.ts';
import { type Cell, type Paint, table } from '../text/table.ts';
import type { PolicyStatus } from './policy-status.ts';

/** In bytes; the whole message is in the JSON. */
const SHORT_MESSAGE = 100;

export interface StatusPainter {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
}

export function renderStatusTable(statuses: readonly PolicyStatus[], paint: StatusPainter): string {
  const header = [
    'NAMESPACE',
    'NAME',
    'PROFILE',
    'ACTIVE',
    'GENERATION',
    'OBSERVED',
    'IN FORCE',
    'READY',
    'REASON',
    'MESSAGE',
  ];
  return table(
    header,
    statuses.flatMap((status) => [mainRow(status, paint), ...warningRows(status, paint)]),
  );
}

function mainRow(status: PolicyStatus, paint: StatusPainter): readonly (string | Cell)[] {
  const { ready, active } = status;
  return [
    printable(status.namespace),
    printable(status.name),
    printable(status.profile ?? ''),
    { text: active ? 'yes' : 'no', paint: active ? paint.good : paint.bad },
    numberCell(status.generation),
    numberCell(status.observedGeneration),
    numberCell(status.inForceGeneration),
    ready.status,
    printable(ready.reason),
    // Of an active policy there is nothing to explain.
    active ? '' : boundedText(ready.message, SHORT_MESSAGE),
  ];
}

function warningRows({ warnings }: PolicyStatus, paint: StatusPainter): readonly (readonly (string | Cell)[])[] {
  return warnings.map(({ type, reason, message }) => [
    ...Array.from({ length: 7 }, () => ''),
    { text: type, paint: paint.warn },
    printable(reason),
    boundedText(message, SHORT_MESSAGE),
  ]);
}

function numberCell(value: number | null): string {
  return value === null ? '-' : String(value);
}

/** The fields are described in docs/cli.md; none is ever renamed or removed. */
export function renderStatusJson(statuses: readonly PolicyStatus[]): string {
  return printableJson({ policies: statuses });
}
