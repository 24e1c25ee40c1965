/** The result of a run as it is printed. */
import { printable, printableJson } from '../text/printable.ts';
import { type Cell, type Paint, table } from '../text/table.ts';
import type { CapabilityVerdict, Row, RunVerdict } from './verdict.ts';

export interface ProbePainter {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
}

/** Every attempt, and below it every capability. */
export function renderProbeTable({ rows, capabilities }: RunVerdict, paint: ProbePainter): string {
  const attempts = table(
    ['CAPABILITY', 'ASSERTION', 'EXPECTED', 'SEEN', 'RESULT'],
    rows.map((row) => attemptRow(row, paint)),
  );
  const results = table(
    ['CAPABILITY', 'RESULT', 'REASON', 'NODES', 'MESSAGE'],
    capabilities.map((item) => capabilityRow(item, paint)),
  );
  return `${attempts}\n\n${results}`;
}

function attemptRow({ capability, what, expect, seen, result, reason }: Row, paint: ProbePainter): (string | Cell)[] {
  const expected = { Through: 'an answer', Blocked: 'none' };
  const word = result === 'Inconclusive' ? `Inconclusive (${reason})` : result;
  const colour = { Pass: paint.good, Fail: paint.bad, Inconclusive: paint.warn }[result];
  return [
    capability,
    printable(what),
    expect === undefined ? '-' : expected[expect],
    printable(seen),
    { text: word, paint: colour },
  ];
}

function capabilityRow({ capability, result, reason, nodes, message }: CapabilityVerdict, paint: ProbePainter) {
  const colours = { Verified: paint.good, Failed: paint.bad, Inconclusive: paint.warn, Unsupported: paint.warn };
  return [capability, { text: result, paint: colours[result] }, reason, String(nodes), printable(message)];
}

/** The fields are described in docs/probe.md; none is ever renamed or removed. */
export function renderProbeJson({ rows, capabilities }: RunVerdict): string {
  return printableJson({ capabilities, assertions: rows });
}
