import { describe, expect, test } from 'vitest';
import { bool, int, list, object, string } from '../../constructs/values/build.ts';
import { constraintText } from './field-text.ts';

describe('what stands for a key that is absent from an item', () => {
  const text = string('A text.', { pattern: '.*', maxLength: 10 });

  test.each([
    ['a list that is empty', list('Texts.', text, { maxItems: 3 }), 'list of string, at most 3, [] if absent'],
    ['a text that is empty', string('A text.', { default: '' }), 'string, "" if absent'],
    ['a text', string('A text.', { default: 'a' }), 'string, a if absent'],
    ['a number', int('A number.', { default: 0, minimum: 0, maximum: 2 }), 'integer, 0 to 2, 0 if absent'],
    ['a switch', bool('A switch.', false), 'true | false, false if absent'],
    ['nothing', text, 'string'],
  ])('%s', (_, field, expected) => {
    const items = object('An item.', { key: field });
    expect(constraintText(list('Items.', items, { maxItems: 2 }))).toBe(`list of {key: ${expected}}, at most 2`);
  });
});
