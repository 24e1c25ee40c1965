/** ASCII punctuation that can be escaped (CommonMark, "Backslash escapes"), of which a text within a line makes markup. Bars are the table's. */
const MARKUP = /[\\`*_[\]<>&~#]/g;

/** Text from elsewhere within a line of Markdown: shown as it is written, without emphasis, link, picture or HTML. */
export function markdownText(text: string): string {
  return text.replace(MARKUP, '\\$&');
}
