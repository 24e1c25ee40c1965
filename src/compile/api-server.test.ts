/** Rules that name the API server, where a provider knows it by its addresses only: these may be no way around what no policy may open. */
import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { factsFor, requestFor } from './testing.ts';

describe('the API server by its addresses', () => {
  const allow = [{ name: 'api', to: [{ kubeAPIServer: {} }], ports: [{ port: 443 }] }];
  const others = [{ ...allow[0], to: [{ cidr: { block: '203.0.113.0/24' } }] }];
  const facts = factsFor('k8s-networkpolicy');
  const at = (...apiServerAddresses: string[]) =>
    compile(requestFor({ allow }, { facts: { ...facts, apiServerAddresses } }));

  it.each([
    ['of a Service', '10.96.0.1', '10.96.0.1/32'],
    ['outside of the cluster', '203.0.113.1', '203.0.113.1/32'],
    ['next to what no policy may open', '169.253.255.255', '169.253.255.255/32'],
    ['next to a metadata service', '100.100.100.201', '100.100.100.201/32'],
    ['of IPv6', '2001:db8::1', '2001:db8::1/128'],
    ['of IPv6 with zeros written out', 'fd00:0:0::1', 'fd00:0:0::1/128'],
    ['of IPv6 next to a metadata service', 'fd00:ec3::254', 'fd00:ec3::254/128'],
  ])('an address %s is opened', (_, address, cidr) => {
    expect(at(address).result?.outputs[0]?.spec.egress).toEqual([
      { to: [{ ipBlock: { cidr } }], ports: [{ protocol: 'TCP', port: 443 }] },
    ]);
  });

  it.each([
    ['169.254.169.254'],
    ['169.254.0.0'],
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['100.100.100.200'],
    ['168.63.129.16'],
    ['::'],
    ['::1'],
    ['0:0:0:0:0:0:0:1'],
    ['fe80::1'],
    ['febf::1'],
    ['fd00:ec2::254'],
    ['FD00:0EC2:0::254'],
    ['fd00:ec2::23'],
    ['fd00:42::42'],
    ['fd20:ce::254'],
    ['64:ff9b::a9fe:a9fe'],
    ['2002:a9fe:a9fe::1'],
    ['2002:6464:64c8::1'],
    ['224.0.0.1'],
    ['ff02::1'],
    ['2::1'],
    // What one parser reads as one address, and another as another.
    ['::ffff:169.254.169.254'],
    ['::ffff:a9fe:a9fe'],
    ['::ffff:203.0.113.1'],
    ['64:ff9b::169.254.169.254'],
    ['2852039166'],
    ['169.254.43518'],
    ['0127.0.0.1'],
    ['0100.0100.0100.0200'],
    ['0xa9.0xfe.0xa9.0xfe'],
    ['fd00::1%eth0'],
    ['0.0.0.0/0'],
    ['kubernetes.default.svc'],
    [''],
  ])('no rule opens %j, alone or among others', (address) => {
    for (const addresses of [[address], ['203.0.113.1', address], [address, '203.0.113.1']]) {
      const compiled = at(...addresses);
      expect(compiled).not.toHaveProperty('result');
      expect(compiled).toMatchObject({
        problems: [],
        support: {
          state: 'Unsupported',
          missing: [{ rule: 'api', index: 0, capability: 'kubeAPIServer', reason: 'APIServerAddressForbidden' }],
        },
      });
    }
  });

  it('a policy without such a rule is compiled all the same, and so is every policy on Cilium, which goes by name', () => {
    const apiServerAddresses = ['169.254.169.254'];
    expect(compile(requestFor({ allow: others }, { facts: { ...facts, apiServerAddresses } })).result).toBeDefined();
    const cilium = (addresses: string[]) =>
      compile(requestFor({ allow }, { facts: { ...factsFor('cilium'), apiServerAddresses: addresses } })).result;
    expect(cilium(apiServerAddresses)).toEqual(cilium(['203.0.113.1']));
    expect(cilium(apiServerAddresses)).toBeDefined();
  });
});
