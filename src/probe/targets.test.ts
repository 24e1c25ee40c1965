import { describe, expect, it } from 'vitest';
import { commonBlock, NO_TARGETS, onlyBlock, parseAddress, parseName, targetsProblem } from './targets.ts';

const address = (text: string) => {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(`${text} is no address`);
  return parsed;
};
const name = (text: string) => ({ name: text, port: 443 });

describe('an address', () => {
  it('is of either family, with a port', () => {
    expect(parseAddress('203.0.113.10:443')).toEqual({ address: '203.0.113.10', family: 'IPv4', port: 443 });
    expect(parseAddress('[2001:db8::1]:443')).toEqual({ address: '2001:db8::1', family: 'IPv6', port: 443 });
  });

  it.each([
    '203.0.113.10',
    '203.0.113.10:0',
    '203.0.113.10:65536',
    '2001:db8::1:443',
    'example.com:443',
    '[203.0.113.10]:1',
  ])('%s is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe('a name', () => {
  it.each(['api.example.com', '*.example.com:443', 'API.example.com:443', 'example:443', '203.0.113.10:443'])(
    '%s is none',
    (text) => {
      expect(parseName(text)).toBeUndefined();
    },
  );

  it('is lower case, with a port', () => {
    expect(parseName('api.example.com:443')).toEqual({ name: 'api.example.com', port: 443 });
  });
});

describe('blocks', () => {
  it.each([
    ['10.89.0.201:1', '10.89.0.206:1', '10.89.0.200/29'],
    ['10.0.0.1:1', '11.0.0.1:1', '10.0.0.0/7'],
    ['10.0.0.1:1', '10.0.0.1:2', '10.0.0.1/32'],
    ['1.0.0.1:1', '200.0.0.1:1', '0.0.0.0/0'],
    ['[2001:db8::1]:1', '[2001:db8::4]:1', '2001:db8::/125'],
  ])('the smallest that holds %s and %s is %s', (one, other, block) => {
    expect(commonBlock(address(one), address(other))).toBe(block);
  });

  it('of one address', () => {
    expect(onlyBlock(address('203.0.113.10:1'))).toBe('203.0.113.10/32');
    expect(onlyBlock(address('[2001:db8::1]:1'))).toBe('2001:db8::1/128');
  });
});

describe('targets together', () => {
  it('may be none, or all', () => {
    expect(targetsProblem(NO_TARGETS)).toBeUndefined();
    expect(
      targetsProblem({
        allowed: [address('203.0.113.10:443'), address('[2001:db8::1]:443')],
        denied: [address('203.0.113.20:443')],
        allowedName: name('api.example.com'),
        deniedName: name('evil.example.net'),
        oneLabelName: name('a.cdn.example.com'),
        twoLabelName: name('a.b.cdn.example.com'),
      }),
    ).toBeUndefined();
  });

  it.each([
    ['one address of each', { ...NO_TARGETS, allowed: [address('203.0.113.1:1'), address('203.0.113.2:1')] }],
    ['the same', { allowed: [address('203.0.113.1:1')], denied: [address('203.0.113.1:2')] }],
    ['the same', { ...NO_TARGETS, allowedName: name('a.example.com'), deniedName: name('a.example.com') }],
    ['two labels', { ...NO_TARGETS, oneLabelName: name('a.x.example.com'), twoLabelName: name('a.b.example.com') }],
  ])('%s', (problem, targets) => {
    expect(targetsProblem(targets)).toContain(problem);
  });
});
