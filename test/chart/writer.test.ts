import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Expr } from '../../constructs/expr/expr.ts';
import { onlyIf, spread } from '../../constructs/expr/fragment.ts';
import type { JsonMap } from '../../constructs/expr/json.ts';
import {
  choose,
  contains,
  equals,
  greaterThan,
  isEmpty,
  join,
  merged,
  orElse,
  pairs,
  size,
  sortedUnique,
} from '../../constructs/expr/operators.ts';
import { manifest } from '../../constructs/manifest.ts';
import { yamlText } from '../../constructs/values/formats.ts';
import { helpers } from '../../scripts/synth/go-template.ts';
import { helmTemplate as writeTemplate } from '../../scripts/synth/helm-template.ts';
import { staticManifests } from '../../scripts/synth/static.ts';
import { seeded } from '../support/seed.ts';
import { hostileText } from './support/arbitrary.ts';
import { helmTemplate, objectsOf } from './support/helm.ts';
import { helms } from './support/tools.ts';

/** The writer on its own: literals and values that break templates and YAML, in every position, through real Helms. */

interface Probe {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: unknown;
}

/** For lists and maps. */
const writableText = hostileText.filter((text) => new RegExp(yamlText).test(text));
const release = { name: 'probe', namespace: 'probe' };
const value = <T>(name: string, type: 'string' | 'int' | 'bool' | 'list' | 'map') =>
  new Expr<T>({ op: 'ref', root: 'Values', path: [name], type });
let chart = '';

beforeAll(async () => {
  chart = await mkdtemp(path.join(tmpdir(), 'agentplane-writer-'));
  await mkdir(path.join(chart, 'templates'));
  await writeFile(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: probe\nversion: 1.0.0\n');
  await writeFile(path.join(chart, 'templates', '_helpers.tpl'), helpers);
});

afterAll(() => rm(chart, { recursive: true }));

/** Writes a chart that renders `data`. */
async function chartOf(data: unknown): Promise<Chart> {
  const construct = new Chart(new App(), 'probe');
  manifest<Probe>(construct, 'probe', { apiVersion: 'v1', kind: 'Probe', metadata: { name: 'probe' }, data });
  await writeFile(path.join(chart, 'templates', 'probe.yaml'), writeTemplate(construct));
  return construct;
}

/** Renders `data` with both back-ends and both Helms, and expects one answer. */
async function expectAgreement(data: unknown, values: JsonMap): Promise<void> {
  const construct = await chartOf(data);
  const scope = { Values: values, Release: { Name: 'probe', Namespace: 'probe', Service: 'Helm' }, variables: {} };
  const expected = staticManifests(construct, scope);
  for (const [, helm] of helms()) {
    expect(objectsOf(await helmTemplate(helm, chart, values, release))).toEqual(expected);
  }
}

const literals = fc.array(hostileText, { minLength: 40, maxLength: 40 });

describe('the Helm writer', () => {
  it('writes any literal as it is: in a list, as a value, as a key, and beside an expression', async () => {
    await fc.assert(
      fc.asyncProperty(literals, async (texts) => {
        const keyed = Object.fromEntries(texts.map((text, index) => [`${text}${index}`, text]));
        const beside = texts.map((text) => `${text}${value('text', 'string')}${text}`);
        await expectAgreement({ list: texts, keyed, beside }, { text: 'x' });
      }),
      seeded(8),
    );
  });

  it('prints any value of a user: whole, in a string, in a list and in a map', async () => {
    const [text, words, map] = [
      value<string>('text', 'string'),
      value<string[]>('words', 'list'),
      value<Record<string, string>>('map', 'map'),
    ];
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        fc.array(writableText),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), writableText),
        async (...drawn) => {
          const data = {
            whole: text,
            within: `100% {{ ${text} }}`,
            words,
            map,
            fallback: orElse(text, '{{ % }}'),
            joined: join(words, ','),
          };
          await expectAgreement(data, { text: drawn[0], words: drawn[1], map: { ...drawn[2] } });
        },
      ),
      // In a values file these are text only when they are escaped.
      { ...seeded(25), examples: [['\u007f\u0085\u009f\ufffe', ['x'], { a: 'x' }]] },
    );
  });

  it('refuses a list or a map with a character that YAML cannot hold: Helm would leave out all of it without a word', async () => {
    await chartOf({ words: value<string[]>('words', 'list'), map: value<Record<string, string>>('map', 'map') });
    for (const [, helm] of helms()) {
      const errorOf = async (words: string, entry: string) =>
        (await helmTemplate(helm, chart, { words: [words], map: { a: entry } }, release)).error;
      expect(await errorOf('a', 'b')).toBe('');
      expect(await errorOf('\u009f', 'b')).toContain('words has a character that YAML cannot hold');
      expect(await errorOf('a', '\u009f')).toContain('map has a character that YAML cannot hold');
    }
  });

  it('keeps integers integers and booleans booleans, in scalars and in strings', async () => {
    const [count, flag] = [value<number>('count', 'int'), value<boolean>('flag', 'bool')];
    const data = {
      count,
      flag,
      text: `${count}/${flag}`,
      chosen: choose(flag, count, 7),
      above: greaterThan(count, 999_999),
    };
    for (const number of [0, 1, 1_000_000, 2_147_483_647]) {
      await expectAgreement(data, { count: number, flag: number % 2 === 0 });
    }
  });

  it('computes what the TypeScript back-end computes', async () => {
    const [text, words, map, wide] = [
      value<string>('text', 'string'),
      value<string[]>('words', 'list'),
      value<Record<string, string>>('map', 'map'),
      value<Record<string, string>>('wide', 'map'),
    ];
    const data = {
      unique: sortedUnique(words),
      size: size(words),
      pairs: pairs(map),
      merged: { fixed: 'x', ...spread(merged(map, wide)) },
      alone: spread(merged(map, wide)),
      empty: [isEmpty(text), isEmpty(words), isEmpty(map)],
      contains: contains(text, ':'),
      equals: equals(text, 'b'),
      present: onlyIf(equals(text, 'b'), text),
      list: [
        'always',
        onlyIf(contains(text, ':'), text),
        onlyIf(contains(text, ':'), { first: onlyIf(contains(text, '::'), 1), second: 2 }),
      ],
    };
    for (const word of ['', 'b', 'a:b', '::1']) {
      await expectAgreement(data, {
        text: word,
        words: [word, 'b', 'a', 'b'],
        map: { z: word, a: '1' },
        wide: { z: 'wide', b: word },
      });
      await expectAgreement(data, { text: word, words: [], map: {}, wide: {} });
    }
  });
});
