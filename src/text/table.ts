/** A table for a terminal: columns of equal width, separated by two spaces. */

/** Makes the text of a cell colourful. Applied after the widths were computed, for colours have none. */
export type Paint = (text: string) => string;

export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

export function table(header: readonly string[], rows: readonly (readonly (string | Cell)[])[]): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell): Cell => (typeof cell === 'string' ? { text: cell } : cell)),
  );
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.text.length ?? 0)));
  return cells.map((row) => line(row, widths)).join('\n');
}

function line(row: readonly Cell[], widths: readonly number[]): string {
  const last = row.findLastIndex(({ text }) => text !== '');
  return row
    .slice(0, last + 1)
    .map(({ text, paint = (plain) => plain }, column) => {
      // Nothing stands behind the last one that it would have to be aligned with.
      const padding = column === last ? '' : ' '.repeat((widths[column] ?? 0) - text.length);
      return `${paint(text)}${padding}`;
    })
    .join('  ');
}
