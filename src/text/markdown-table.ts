/** A table with padded columns, which is how the formatter of this repository leaves it. A bar inside a cell is escaped. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const escaped = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = header.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)));
  const lines = escaped.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [lines[0] ?? '', rule, ...lines.slice(1)];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
