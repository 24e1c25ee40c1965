/** Standard input and output of a command. Results go to standard output, everything about the run to standard error. */

import type { Readable } from 'node:stream';
import { styleText } from 'node:util';
import { printable } from '../text/printable.ts';
import type { Paint } from '../text/table.ts';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export interface Io {
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): Date;
  /** A result. Its text must be printable already. */
  print(text: string): void;
  /** For the reader, not for the next program in a pipe. Made printable line by line. */
  note(text: string): void;
  /** In colour on a terminal only, and not where `NO_COLOR` is set. */
  paint(style: Style): Paint;
}

export function processIo({ stdin, stdout, stderr, env }: NodeJS.Process): Io {
  // Who reads may stop reading (`| head`): that ends the output and is no error.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    stdin,
    env,
    now: () => new Date(),
    print: (text) => {
      stdout.write(`${text}\n`);
    },
    note: (text) => {
      stderr.write(`${text.split('\n').map(printable).join('\n')}\n`);
    },
    paint: (style) => (text) => styleText(style, text, { stream: stdout }),
  };
}
