import { describe, expect, it } from 'vitest';
import { parseFlags } from './flags.ts';
import { probeSettingFlags, probeSettings } from './probe-flags.ts';

const needed = ['--namespace', 'canaries', '--install-namespace', 'agentplane', '--image', 'agentplane:1'];
const settings = (...args: string[]) => probeSettings(parseFlags(probeSettingFlags, [...needed, ...args]));

describe('the flags of the probe', () => {
  it('need no targets', () => {
    expect(settings().targets).toEqual({ allowed: [], denied: [] });
  });

  it('say what is tried, as whom, and for how long it counts', () => {
    expect(
      settings(
        ...['--allowed-addresses', '203.0.113.10:443,[2001:db8::1]:443', '--denied-addresses', '203.0.113.20:443'],
        ...['--allowed-name', 'api.example.com:443', '--denied-name', 'evil.example.net:8443'],
        ...['--other-resolver', '198.51.100.53', '--node-selector', 'pool=agents', '--image-pull-secrets', 'a,b'],
        ...['--interval-seconds', '60', '--expiry-seconds', '120'],
      ),
    ).toMatchObject({
      namespace: 'canaries',
      report: { namespace: 'agentplane', name: 'cluster' },
      targets: {
        allowed: [{ address: '203.0.113.10' }, { address: '2001:db8::1', family: 'IPv6' }],
        denied: [{ address: '203.0.113.20' }],
        allowedName: { name: 'api.example.com', port: 443 },
        deniedName: { name: 'evil.example.net', port: 8443 },
        resolver: '198.51.100.53',
      },
      pods: { image: 'agentplane:1', pullSecrets: ['a', 'b'], nodeSelector: { pool: 'agents' } },
      intervalMs: 60_000,
      expiryMs: 120_000,
    });
  });

  it.each([
    [['--allowed-addresses', 'example.com:443'], '--allowed-addresses: "example.com:443" is not ADDRESS:PORT'],
    [['--allowed-name', '203.0.113.10:443'], '--allowed-name: "203.0.113.10:443" is not NAME:PORT'],
    [['--other-resolver', 'dns.example.com'], '--other-resolver: "dns.example.com" is not an IP address'],
    [
      ['--allowed-name', 'a.example.com:1', '--denied-name', 'a.example.com:2'],
      'the allowed and the denied name are the same',
    ],
    [['--install-namespace', 'canaries'], 'the canaries need a namespace of their own'],
  ])('%j is refused with what would be right', (args, message) => {
    const all =
      args[0] === '--install-namespace' ? [...needed.slice(0, 2), ...needed.slice(4), ...args] : [...needed, ...args];
    expect(() => probeSettings(parseFlags(probeSettingFlags, all))).toThrow(message);
  });
});
