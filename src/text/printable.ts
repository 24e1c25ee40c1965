/** Text from elsewhere (files, object names, messages of a server) on its way to a terminal: nothing in it may steer the terminal. */
import { boundedText } from '../kube/text.ts';

/** What a person reads in one message. */
const MAX_BYTES = 4096;

/** One line, with control and format characters shown as `\u{1b}`; cut at 4 KiB. */
export function printable(text: string): string {
  return boundedText(text, MAX_BYTES);
}

/** JSON of the same value, indented, in which control and format characters are escaped also where JSON would let them stand. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
