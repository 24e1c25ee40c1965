import { statusBody } from './fake-status.ts';
import type { WatchStream } from './fake-watch.ts';
import { widget } from './fixtures.ts';

/** One way in which the stream of an open watch goes wrong. */
export interface StreamFault {
  readonly name: string;
  /** Called with two objects known, `a` and `b`, and a change of `a` written but not told. */
  readonly breakIt: (watch: WatchStream, changed: object) => void;
  /** Lists beyond the first. */
  readonly relists: number;
}

/** An event as it is sent. */
export const line = (type: string, object: object) => Buffer.from(`${JSON.stringify({ type, object })}\n`);
const cutIn = (bytes: Buffer, text: string) => bytes.subarray(0, bytes.indexOf(Buffer.from(text)) + 1);
const error = (code: number, reason: string) => ({ type: 'ERROR', object: statusBody(code, reason, 'on purpose') });

export const STREAM_FAULTS: readonly StreamFault[] = [
  { name: 'ends', breakIt: (watch) => watch.end(), relists: 0 },
  { name: 'is reset', breakIt: (watch) => watch.destroy(), relists: 0 },
  { name: 'falls silent without closing', breakIt: () => undefined, relists: 0 },
  {
    name: 'ends within a line',
    breakIt: (watch, changed) => {
      watch.write(line('MODIFIED', changed).subarray(0, 30));
      watch.end();
    },
    relists: 0,
  },
  {
    name: 'is reset within a character',
    breakIt: (watch, changed) => {
      watch.write(cutIn(line('MODIFIED', changed), '€'));
      setImmediate(() => watch.destroy());
    },
    relists: 0,
  },
  {
    name: 'falls silent within a character',
    breakIt: (watch, changed) => watch.write(cutIn(line('MODIFIED', changed), '€')),
    relists: 0,
  },
  {
    name: 'sends a character in two pieces',
    breakIt: (watch, changed) => {
      const bytes = line('MODIFIED', changed);
      const first = cutIn(bytes, '€');
      watch.write(first);
      setImmediate(() => watch.write(bytes.subarray(first.length)));
    },
    relists: 0,
  },
  {
    name: 'sends byte by byte',
    breakIt: (watch, changed) => {
      for (const byte of line('MODIFIED', changed)) watch.write(Buffer.from([byte]));
    },
    relists: 0,
  },
  {
    name: 'sends everything twice, and empty lines between',
    breakIt: (watch, changed) => {
      for (let i = 0; i < 2; i += 1) watch.write(Buffer.concat([line('MODIFIED', changed), Buffer.from('\n\n')]));
    },
    relists: 0,
  },
  {
    name: 'goes back in time afterwards',
    breakIt: (watch, changed) => {
      watch.write(line('MODIFIED', changed));
      watch.write(line('ADDED', { ...widget('a'), metadata: { ...widget('a').metadata, resourceVersion: '1' } }));
      watch.end();
    },
    relists: 0,
  },
  { name: 'sends broken JSON', breakIt: (watch) => watch.write('{\n'), relists: 0 },
  { name: 'sends HTML', breakIt: (watch) => watch.write('<html>\n'), relists: 0 },
  { name: 'sends no UTF-8', breakIt: (watch) => watch.write(Buffer.from([0x22, 0xff, 0x22, 0x0a])), relists: 0 },
  { name: 'sends an unknown type', breakIt: (watch) => watch.write(line('RENAMED', {})), relists: 0 },
  { name: 'sends an object without a name', breakIt: (watch) => watch.write(line('ADDED', {})), relists: 0 },
  { name: 'sends a bookmark without a version', breakIt: (watch) => watch.write(line('BOOKMARK', {})), relists: 0 },
  { name: 'sends ERROR 410', breakIt: (watch) => watch.send(error(410, 'Expired')), relists: 1 },
  { name: 'sends ERROR 500', breakIt: (watch) => watch.send(error(500, 'InternalError')), relists: 0 },
  { name: 'sends ERROR 429', breakIt: (watch) => watch.send(error(429, 'TooManyRequests')), relists: 0 },
  { name: 'sends ERROR without a code', breakIt: (watch) => watch.send({ type: 'ERROR', object: null }), relists: 0 },
  {
    name: 'sends bookmarks alone, and ends',
    breakIt: (watch) => {
      watch.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '102' } } });
      watch.end();
    },
    relists: 0,
  },
];
