import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamed, jsonMembers } from './json-members.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function parsed(text: string): unknown {
  return jsonMembers(bytesOf(text))?.map(({ key, value }) => [
    JSON.parse(`"${textOf(key)}"`),
    JSON.parse(textOf(value)),
  ]);
}

describe('the members of a JSON object', () => {
  it('are those that a parser finds, whatever they hold and however it is set', () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, '\t', 3), (value, space) => {
        expect(parsed(JSON.stringify(value, null, space))).toEqual(
          Object.entries(JSON.parse(JSON.stringify(value)) as object),
        );
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['a string', '"{}"'],
    ['an object that does not end', '{"a": {"b": 1}'],
    ['a string that does not end', '{"a": "b\\"}'],
    ['something behind the object', '{} {}'],
    ['a comma without a member', '{"a": 1,}'],
    ['a member without a value', '{"a": }'],
    ['a key that is no string', '{a: 1}'],
    ['a value that closes what it did not open', '{"a": ]}'],
  ])('are not found in %s', (_, text) => {
    expect(parsed(text)).toBeUndefined();
  });

  it('are named as they are written: an escape is another name', () => {
    const [plain, escaped] = jsonMembers(bytesOf('{"kind": 1, "\\u006bind": 2}')) ?? [];
    expect(plain && isNamed(plain, 'kind')).toBe(true);
    expect(escaped && isNamed(escaped, 'kind')).toBe(false);
  });

  it('do not depend on the stack: depth is free to choose', () => {
    const deep = `{"a": ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    expect(jsonMembers(bytesOf(deep))).toHaveLength(1);
  });
});
