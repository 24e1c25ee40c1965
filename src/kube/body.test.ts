import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, readStart, splitLines } from './body.ts';
import type { Attempt } from './errors.ts';

const ATTEMPT: Attempt = { verb: 'watch', resource: 'widgets' };

async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (const [index, point] of points.slice(1).entries()) {
    yield bytes.subarray(points[index], point);
  }
}

async function linesOf(chunks: AsyncIterable<Buffer>, maxBytes = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(ATTEMPT, chunks, maxBytes)) {
    lines.push(line.toString('utf8'));
  }
  return lines;
}

describe('splitLines', () => {
  it('gives the same lines however the bytes arrive', async () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !text.includes('\n'));
    const lists = fc.array(line, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(fc.nat(), { maxLength: 12 }), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        expect(await linesOf(chunksOf(bytes, cuts))).toEqual(lines);
      }),
    );
  });

  it('leaves out empty lines and an unfinished last one', async () => {
    expect(await linesOf(chunksOf(Buffer.from('a\n\nb\nrest'), []))).toEqual(['a', 'b']);
  });

  it('does not hold a line without end', async () => {
    const endless = (async function* () {
      for (;;) {
        yield Buffer.alloc(400, 'x');
      }
    })();
    await expect(linesOf(endless)).rejects.toMatchObject({ reason: 'TooLarge' });
  });
});

describe('readStart', () => {
  it('reads no further than it has to', async () => {
    let pulled = 0;
    const endless = (async function* () {
      for (;;) {
        pulled += 1;
        yield Buffer.alloc(60, 'x');
      }
    })();
    expect(await readStart(endless, 100)).toHaveLength(100);
    expect(pulled).toBe(2);
  });
});

describe('parseJson', () => {
  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJson(ATTEMPT, Buffer.from([0x22, 0xff, 0x22]))).toThrow(/not JSON in UTF-8/);
    expect(parseJson(ATTEMPT, Buffer.from('"ü"'))).toBe('ü');
  });

  it('keeps keys that are also object members as plain data', () => {
    const value = parseJson(ATTEMPT, Buffer.from('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});
