import { describe, expect, it } from 'vitest';
import { parseFlags } from './flags.ts';
import { surroundingsFlags, surroundingsOf } from './shared-flags.ts';

const surroundings = (...args: string[]) => surroundingsOf(parseFlags(surroundingsFlags, args));

describe('--api-server-addresses', () => {
  it.each([
    ['', []],
    ['10.96.0.1', ['10.96.0.1']],
    ['203.0.113.1, 2001:db8::1', ['203.0.113.1', '2001:db8::1']],
    ['169.253.0.1,fd00:ec3::254', ['169.253.0.1', 'fd00:ec3::254']],
  ])('takes "%s"', (value, addresses) => {
    expect(surroundings(`--api-server-addresses=${value}`).apiServerAddresses).toEqual(addresses);
  });

  it.each([
    ['169.254.169.254', '169.254.169.254 is part of 169.254.0.0/16 (link-local addresses, among them the cloud'],
    ['127.0.0.1', '127.0.0.1 is part of 127.0.0.0/8 (loopback addresses), which no policy may open'],
    ['100.100.100.200', '100.100.100.200 is part of 100.100.100.200/32 (the cloud metadata service)'],
    ['0.0.0.0', '0.0.0.0 is part of 0.0.0.0/8, which is no address of a server'],
    ['::', ':: is part of ::/3, which is no address of a server'],
    ['::1', '::1 is part of ::1/128 (the loopback address)'],
    ['fe80::1', 'fe80::1 is part of fe80::/10 (link-local addresses)'],
    [
      'fd00:ec2:0::254',
      'fd00:ec2:0::254 is part of fd00:ec2::/32 (services of the cloud host, among them the metadata service)',
    ],
    ['::ffff:a9fe:a9fe', '::ffff:a9fe:a9fe is an IPv4-mapped IPv6 address: write the IPv4 address'],
    ['0127.0.0.1', '"0127.0.0.1" is not an IP address in plain notation'],
    ['kubernetes', '"kubernetes" is not an IP address in plain notation'],
  ])('refuses %s, alone and among others', (address, message) => {
    for (const value of [address, `203.0.113.1,${address}`]) {
      expect(() => surroundings(`--api-server-addresses=${value}`)).toThrow(`--api-server-addresses: ${message}`);
    }
  });
});
