/** Texts that someone may write to crash, pollute or deceive what reads them. */

/** None of these belongs into any field of a spec. */
export const REFUSED_TEXTS: Readonly<Record<string, string>> = {
  'a NUL': 'a\u0000b',
  'a newline at the end': 'a\n',
  'a carriage return': 'a\r\nb',
  'a terminal sequence': '\u001b[31mred\u001b]0;title\u0007',
  'a delete character': 'a\u007f',
  'a C1 control': 'a\u0085b\u009b31m',
  'a lone high surrogate': 'a\ud800',
  'a lone low surrogate': '\udfffa',
  'a Cyrillic look-alike': '\u0430pi.example.com',
  'a full-width look-alike': '\uff41pi.example.com',
  'a Kelvin sign, which is a k where case is ignored': 'to\u212aen.example.com',
  'a long s': 'example\u017f.com',
  'a combining mark': 'a\u0301.example.com',
  'a right-to-left override': 'a\u202emoc.elpmaxe',
  'a zero-width space': 'api\u200b.example.com',
  'a byte order mark': '\ufeffa',
  'a line separator': 'a\u2028b',
  'an emoji': '\u{1f600}',
  '10,000 characters': 'a'.repeat(10_000),
  '10,000 labels': `${'a.'.repeat(10_000)}com`,
  '10,000 control characters': '\u001b'.repeat(10_000),
  'a template': '{{ .Values.x }}$' + '{process.env}$(id)',
  markup: '<img src=x>',
  'a way up': '../../etc/passwd',
  'a wildcard': '*',
  'a space before': ' a',
  'a quotation mark': 'a"b',
  nothing: '',
};

/** Names that mean something to a careless program. Some fields may have them. */
export const LOADED_WORDS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  '0',
  '-1',
  'NaN',
];

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** A message is for a person: as long as a rule's own words and the longest name need. */
const MAX_MESSAGE = 640;

/** Why a message should not be shown; undefined when it may. */
export function unfit(message: string): string | undefined {
  if (UNSAFE.test(message)) return `repeats what may steer a terminal: ${JSON.stringify(message.slice(0, 200))}`;
  return message.length > MAX_MESSAGE ? `is ${message.length} characters long: ${message.slice(0, 200)}` : undefined;
}
