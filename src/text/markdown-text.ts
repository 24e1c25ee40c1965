/**
 * Text from elsewhere within a line of Markdown. Anything of which Markdown, or a code host by itself, might make more than text (emphasis, a
 * link, a picture, HTML, a mention, an emoji, a formula, a reference to an issue or a commit) is shown as code, in which nobody looks for that.
 */

/** Letters, digits, blanks and marks that stand for nothing alone: a colon as in `a: b`, a dot, a slash. */
const PLAIN = /^(?!.*(?::\/\/|www\.|:[\w+-]+:|\bGH-\d|\b[0-9a-f]{7,40}\b))[\w\u0080-\u{10ffff} .,;:?'"()/|+=-]*$/u;
/** Between blanks or at an end, it may begin or end emphasis. */
const EMPHASIS = /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/;

export function markdownText(text: string): string {
  if (PLAIN.test(text) && !EMPHASIS.test(text)) return text;
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const margin = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${margin}${text}${margin}${fence}`;
}
