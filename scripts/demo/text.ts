/** How the demo writes to a person: headings, sentences and tables on standard output. Progress goes to standard error. */

/** Rows as columns of equal width, two spaces apart, below an upper-case header, as kubectl prints them. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [header.map((cell) => cell.toUpperCase()), ...rows].map(line).join('\n');
}

export function heading(text: string): string {
  return `\n${text}\n${'-'.repeat(text.length)}`;
}

/** Indents every line of an output that is shown as it came. */
export function quoted(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
