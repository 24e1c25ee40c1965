/** The result of `explain` as it is printed. */
import { stringify } from 'yaml';
import type { Facts } from '../compile/facts.ts';
import { printable, printableJson } from '../text/printable.ts';
import { type Cell, type Paint, table } from '../text/table.ts';
import { describeRefusals, nameOf } from './describe.ts';
import type { Explained } from './explain.ts';

export interface Painter {
  readonly good: Paint;
  readonly bad: Paint;
}

/** A line per object, and below the table what is refused, and why. */
export function renderTable(explained: readonly Explained[], paint: Painter): string {
  const rows = explained.map((item) => [
    nameOf(item),
    printable(item.profile ?? ''),
    resultOf(item, paint),
    generatesOf(item),
  ]);
  const refusals = explained.map(describeRefusals).filter((text) => text !== '');
  const summary = table(['OBJECT', 'PROFILE', 'RESULT', 'GENERATES'], rows);
  return [summary, ...refusals].join('\n\n');
}

function resultOf(item: Explained, paint: Painter): Cell {
  const [first] = item.refusals;
  return first === undefined ? { text: 'ok', paint: paint.good } : { text: first.reason, paint: paint.bad };
}

function generatesOf({ objects, provisionalNames }: Explained): string {
  return objects.map(({ kind, metadata }) => (provisionalNames ? kind : `${kind} ${metadata.name}`)).join(', ');
}

/** The objects that would be generated; nothing of what is refused. */
export function renderYaml(explained: readonly Explained[]): string {
  return explained
    .flatMap((item) => item.objects.map((object) => `${headerOf(item)}\n${stringify(object, { lineWidth: 0 })}`))
    .join('');
}

function headerOf(item: Explained): string {
  const from = `---\n# From ${printable(item.file)}:${item.line}, ${nameOf(item)}`;
  const note =
    '# The API server gives the policy its UID, and with it this object its name: both are placeholders here.';
  return item.provisionalNames ? `${from}\n${note}` : from;
}

/** The fields are described in docs/cli.md; none is ever renamed or removed. */
export function renderJson(
  explained: readonly Explained[],
  { facts, skipped }: { readonly facts: Facts; readonly skipped: ReadonlyMap<string, number> },
): string {
  return printableJson({
    provider: facts.state === 'Known' ? facts.provider : null,
    results: explained.map(({ refusals, objects, ...head }) => ({
      ...head,
      result: refusals.length === 0 ? 'Ok' : 'Refused',
      refusals,
      objects,
    })),
    skipped: Object.fromEntries(skipped),
  });
}
