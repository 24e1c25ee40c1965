/** Each difference to YAML as kubectl and Helm read it, with a twin that all read alike. */
import { describe, expect, test } from 'vitest';
import { parseManifests } from './parse.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n';
const problems = (text: string) => parseManifests('f', text).problems;
/** Twelve. Who takes them for marks is as many characters behind. */
const MARKS = Array.from({ length: 12 }, (_, i) => `x${i}: \u0002\n`).join('');
const manifests = (text: string) => parseManifests('f', text).manifests;
const refusal = (line: number, message: string) => [{ file: 'f', line, message: expect.stringContaining(message) }];

describe('line breaks of YAML 1.1', () => {
  describe.each([
    ['U+000D', '\r'],
    ['U+0085', '\u0085'],
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
    ['U+FEFF', '\uFEFF'],
  ])('%s', (name, character) => {
    test.each([
      ['ends a comment', `${POD}# c${character}rules: []\n`, 4],
      ['after quotes', `${POD}a: "b"\nc: 'd' # ${character}e\n`, 5],
      ['in a text without quotes', `${POD}a: b${character}c\n`, 4],
      ['in a block', `${POD}a: |\n  b\n  ${character}c\n`, 6],
      ['in JSON, between what is quoted', `${JSON.stringify({ apiVersion: 'v1' })}${character}`, 1],
      ['after a quote in a comment', `${POD}# " \n# ${character}"\n`, 5],
      ['after texts that look like marks of the lexer', `${POD}${MARKS}# ${character}c\n"${'d'.repeat(40)}": e\n`, 16],
    ])('%s', (_, text, line) => {
      expect(problems(text)).toContainEqual(refusal(line, `the character ${name} `)[0]);
    });

    test('but not in quotes', () => {
      const text = `${POD}"a${character}": ['b${character}', "it's ${character} \\" ${character}"] # c\nd: 'it''s ${character}'\n`;
      expect(problems(text)).toEqual([]);
      expect(manifests(text)).toHaveLength(1);
    });
  });

  test('the usual ones of Windows are none of them', () => {
    const text = `# c\n${POD}a: |\n  b\n\n  c\nd: "e\n  f" # g\nh: >\n  i\n---\n{"apiVersion": "v1",\n"kind": "Pod", "metadata": {"name": "\u2028"}\n}\n`;
    expect(parseManifests('f', text.replaceAll('\n', '\r\n'))).toMatchObject({ manifests: [{}, {}], problems: [] });
  });
});

describe('what stands after a separator of documents', () => {
  test.each([
    ['a text', `${POD}---a: b\n`, 4],
    ['a mapping', `${POD}--- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n`, 4],
    ['a comment without a space before it', `${POD}---# c\n`, 4],
    ['dashes within quotes', '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "\n---a"}}\n', 2],
    ['a tag', `--- !!map\n${POD}`, 1],
  ])('%s', (_, text, line) => {
    expect(problems(text)).toContainEqual(refusal(line, 'begin a document at `---`')[0]);
  });

  test.each([
    ['nothing', `---\n${POD}---`],
    ['spaces', `---  \t\n${POD}--- \r\n`],
    ['a comment', `--- # c\n${POD}---\t#\n`],
    ['no separator, for it is indented', `${POD}a: |\n  ---b\n`],
    ['no separator, for it is no beginning of a line', `${POD}a---b: '\u2028---c'\n`],
  ])('but %s', (_, text) => {
    expect(parseManifests('f', text)).toMatchObject({ manifests: [{}], problems: [] });
  });
});

describe('tags', () => {
  test.each([
    ['a: !!binary Kg==', '!!binary'],
    ['!!binary cnVsZXM=: []', '!!binary'],
    ['a: !!timestamp 2001-01-01', '!!timestamp'],
    ['a: !!set {b}', '!!set'],
    ['a: !!omap [b: c]', '!!omap'],
    ['a: !custom b', '!custom'],
    ['a: !<tag:yaml.org,2002:binary> Kg==', '!!binary'],
    ['a: [!!binary ]', '!!binary'],
    ['a: [! b]', '!'],
  ])('%s', (line, tag) => {
    expect(problems(`${POD}${line}\n`)).toEqual(refusal(4, `the tag ${tag} `));
  });

  test('also under another name', () => {
    expect(problems(`%TAG !b! tag:yaml.org,2002:\n---\n${POD}a: !b!binary Kg==\n`)).toEqual(
      refusal(6, 'tag !!binary '),
    );
  });

  test('but not those of JSON, and quoted marks', () => {
    const text = `${POD}a: [!!str b, !!int 1, !!float 1.5, !!bool true, !!null null, "!!binary Kg=="]\nb: !!map {c: !!seq []}\n`;
    expect(parseManifests('f', text)).toMatchObject({ manifests: [{}], problems: [] });
  });
});

describe('merge keys', () => {
  test.each([
    ['a: []\n<<: {a: [b]}', 5],
    ['a: &a {b: 1}\nc:\n  <<: *a', 6],
    // Whether there is a key after the first is not the same to all: here, to kubectl it is `b:`.
    ['a: {<<: {b: 1}, b:}', 4],
  ])('%j', (text, line) => {
    expect(problems(`${POD}${text}\n`)).toEqual(refusal(line, 'a merge key (<<) overrides other keys or not'));
  });

  test.each([['a: &a {b: 1}\nc: *a'], ['a: {"<<": 2}'], ["b: ['<<', <<]"]])('but not %j', (text) => {
    expect(parseManifests('f', `${POD}${text}\n`)).toMatchObject({ manifests: [{}], problems: [] });
  });
});

describe('a mark at the beginning of a text in braces or brackets', () => {
  test.each([['a: {?b: c}'], ['a: [?b]'], ['a: {b: ?c}'], ['a: [!!str :b]'], ['a: [{b: [c, :d]}]']])('%s', (text) => {
    expect(problems(`${POD}${text}\n`)).toEqual(refusal(4, 'take `?` and `:` off the beginning'));
  });

  test.each([['a: {"?b": ":c"}'], ['a: {? b : c}'], ['? a\n: b'], ['a: [b?, c:d]'], ['?a: :8080']])(
    'but not %j',
    (text) => {
      expect(parseManifests('f', `${POD}${text}\n`)).toMatchObject({ manifests: [{}], problems: [] });
    },
  );
});
