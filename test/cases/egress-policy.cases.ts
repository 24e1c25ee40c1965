import type { SchemaCase } from './schema-case.ts';

const base = { profileRef: { name: 'research' } };
const dns = { access: 'ClusterResolver' };
const https = [{ port: 443 }];

/** A policy with one rule for one destination. */
function to(destination: unknown, ports: unknown = https): Record<string, unknown> {
  return { ...base, dns, allow: [{ name: 'r', to: [destination], ports }] };
}

function ports(...list: unknown[]): Record<string, unknown> {
  return to({ cidr: { block: '203.0.113.0/24' } }, list);
}

/** Rules with `count` destinations in all. */
function rulesOf(count: number): object[] {
  const blocks = Array.from({ length: count }, (_, i) => ({ cidr: { block: `10.${i >> 8}.${i & 255}.0/24` } }));
  return Array.from({ length: Math.ceil(count / 32) }, (_, i) => ({
    name: `r${i}`,
    to: blocks.slice(i * 32, i * 32 + 32),
    ports: https,
  }));
}

function paused(pause: object): SchemaCase {
  const whole = { reason: 'maintenance', until: '2030-01-31T18:00:00Z', ...pause };
  return { name: `a pause of ${JSON.stringify(pause)}`, spec: { ...base, pause: whole } };
}

const label63 = 'a'.repeat(63);
const longestName = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`;

const accepted: readonly SchemaCase[] = [
  { name: 'no rule at all', spec: base },
  { name: 'an empty rule list', spec: { ...base, allow: [] } },
  { name: 'a domain', spec: to({ domain: { name: 'api.example.com' } }) },
  { name: 'a punycode domain', spec: to({ domain: { name: 'xn--bcher-kva.example' } }) },
  { name: 'a domain of 253 characters', spec: to({ domain: { name: longestName } }) },
  { name: 'a suffix of one label', spec: to({ domain: { suffix: 'cdn.example.com', depth: 'OneLabel' } }) },
  { name: 'a suffix of any depth', spec: to({ domain: { suffix: 'cdn.example.com', depth: 'AnyDepth' } }) },
  { name: 'a cidr', spec: to({ cidr: { block: '203.0.113.0/24' } }) },
  { name: 'a cidr without dns', spec: { ...to({ cidr: { block: '203.0.113.0/24' } }), dns: { access: 'None' } } },
  { name: 'a cidr with except', spec: to({ cidr: { block: '203.0.113.0/24', except: ['203.0.113.128/25'] } }) },
  { name: 'an IPv6 cidr', spec: to({ cidr: { block: '2001:db8::/32' } }) },
  { name: 'workloads', spec: to({ workloads: { namespace: 'mcp', podLabels: { app: 'tool' } } }) },
  {
    name: 'workloads by a prefixed label',
    spec: to({ workloads: { namespace: 'mcp', podLabels: { 'example.com/app': '' } } }),
  },
  { name: 'the API server', spec: to({ kubeAPIServer: {} }, [{ port: 6443 }]) },
  { name: 'a port range', spec: ports({ port: 8000, endPort: 8010, protocol: 'UDP' }) },
  { name: 'a port range of one', spec: ports({ port: 8000, endPort: 8000 }) },
  { name: '24 ports', spec: ports(...Array.from({ length: 24 }, (_, i) => ({ port: 8000 + i }))) },
  { name: '256 destinations', spec: { ...base, allow: rulesOf(256) } },
  { name: 'one family', spec: { ...base, ipFamilies: ['IPv4'] } },
  {
    name: 'everything required',
    spec: { ...base, require: { domainAssurance: 'TLSServerName', verification: 'Probed' } },
  },
  { name: 'onRefusal', spec: { ...base, onRefusal: 'DenyAll' } },
  ...['2030-01-31T18:00:00Z', '2028-02-29T23:59:59.5+02:00', '2000-01-01T00:00:00Z'].map((until) => paused({ until })),
  { ...paused({ reason: 'r'.repeat(256) }), name: 'a pause with a reason of 256 characters' },
  { name: 'an id set later', before: base, spec: { ...base, id: 'egress' } },
  { name: 'another profile', before: base, spec: { profileRef: { name: 'other' } } },
];

const refusedDomains: readonly SchemaCase[] = [
  { name: 'a domain in upper case', spec: to({ domain: { name: 'API.example.com' } }), refused: /lower case/ },
  {
    name: 'a domain with a trailing dot',
    spec: to({ domain: { name: 'api.example.com.' } }),
    refused: /end with a dot/,
  },
  { name: 'a domain that is not ASCII', spec: to({ domain: { name: 'bücher.example' } }), refused: /punycode/ },
  { name: 'a domain of one label', spec: to({ domain: { name: 'localhost' } }), refused: /two labels/ },
  { name: 'a wildcard in a name', spec: to({ domain: { name: '*.example.com' } }), refused: /suffix and depth/ },
  { name: 'everything as a wildcard', spec: to({ domain: { name: '*' } }), refused: /suffix and depth/ },
  { name: 'an address as a domain', spec: to({ domain: { name: '203.0.113.5' } }), refused: /use cidr/ },
  { name: 'a label that ends in a hyphen', spec: to({ domain: { name: 'a-.example.com' } }), refused: /inner hyphens/ },
  { name: 'an empty label', spec: to({ domain: { name: 'a..example.com' } }), refused: /labels of letters/ },
  { name: 'an underscore', spec: to({ domain: { name: 'a_b.example.com' } }), refused: /labels of letters/ },
  { name: 'a newline', spec: to({ domain: { name: 'api.example.com\n' } }), refused: /ASCII/ },
  {
    name: 'a label of 64 characters',
    spec: to({ domain: { name: `${'a'.repeat(64)}.com` } }),
    refused: /63 characters/,
  },
  { name: 'a domain of 254 characters', spec: to({ domain: { name: `${longestName}b` } }), refused: /name/ },
  { name: 'a suffix without depth', spec: to({ domain: { suffix: 'example.com' } }), refused: /depth/ },
  {
    name: 'a depth without suffix',
    spec: to({ domain: { name: 'a.example.com', depth: 'OneLabel' } }),
    refused: /depth/,
  },
  {
    name: 'a name and a suffix',
    spec: to({ domain: { name: 'a.b', suffix: 'b.c', depth: 'OneLabel' } }),
    refused: /exactly one of/,
  },
  { name: 'an empty domain', spec: to({ domain: {} }), refused: /exactly one of/ },
  {
    name: 'a suffix in upper case',
    spec: to({ domain: { suffix: 'CDN.example.com', depth: 'OneLabel' } }),
    refused: /lower case/,
  },
  { name: 'an unknown depth', spec: to({ domain: { suffix: 'example.com', depth: 'Two' } }), refused: /depth/ },
  {
    name: 'a domain without dns',
    spec: { ...base, allow: [{ name: 'r', to: [{ domain: { name: 'api.example.com' } }], ports: https }] },
    refused: /dns.access/,
  },
];

const refusedDestinations: readonly SchemaCase[] = [
  { name: 'no destination kind', spec: to({}), refused: /exactly one of/ },
  {
    name: 'two destination kinds',
    spec: to({ cidr: { block: '203.0.113.0/24' }, kubeAPIServer: {} }),
    refused: /exactly one of/,
  },
  { name: 'an empty destination list', spec: { ...base, allow: [{ name: 'r', to: [], ports: https }] }, refused: /to/ },
  { name: 'an address without a prefix', spec: to({ cidr: { block: '203.0.113.5' } }), refused: /block/ },
  { name: 'a cidr in upper case', spec: to({ cidr: { block: '2001:DB8::/32' } }), refused: /block/ },
  {
    name: 'workloads without labels',
    spec: to({ workloads: { namespace: 'mcp', podLabels: {} } }),
    refused: /podLabels/,
  },
  { name: 'workloads without a namespace', spec: to({ workloads: { podLabels: { app: 'x' } } }), refused: /namespace/ },
  ...['a..b/c', 'a-.b/c', `${'a'.repeat(120)}/${'b'.repeat(8)}`, '/c', 'a/', 'A.b/c', 'a/b/c'].map((key) => ({
    name: `the label key ${key}`,
    spec: to({ workloads: { namespace: 'mcp', podLabels: { [key]: 'x' } } }),
    refused: /label keys/,
  })),
  {
    name: 'a bad label key',
    spec: to({ workloads: { namespace: 'mcp', podLabels: { 'a b': 'x' } } }),
    refused: /label keys/,
  },
  {
    name: 'a bad label value',
    spec: to({ workloads: { namespace: 'mcp', podLabels: { a: '-' } } }),
    refused: /podLabels/,
  },
  {
    name: 'five labels',
    spec: to({
      workloads: {
        namespace: 'mcp',
        podLabels: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`l${i}`, 'x'])),
      },
    }),
    refused: /podLabels/,
  },
  { name: 'an unknown field of a destination', spec: to({ kubeAPIServer: { all: true } }), refused: /all/ },
];

const refusedRest: readonly SchemaCase[] = [
  { name: 'no profile', spec: {}, refused: /profileRef/ },
  {
    name: 'a reference with a namespace',
    spec: { profileRef: { name: 'research', namespace: 'other' } },
    refused: /namespace/,
  },
  { name: 'a reference out of the namespace', spec: { profileRef: { name: '../research' } }, refused: /profileRef/ },
  {
    name: 'no ports',
    spec: { ...base, allow: [{ name: 'r', to: [{ cidr: { block: '203.0.113.0/24' } }] }] },
    refused: /ports/,
  },
  { name: 'empty ports', spec: ports(), refused: /ports/ },
  { name: 'port 0', spec: ports({ port: 0 }), refused: /port/ },
  { name: 'port 65536', spec: ports({ port: 65536 }), refused: /port/ },
  { name: 'a named port', spec: ports({ port: 'https' }), refused: /port/ },
  { name: 'an unknown protocol', spec: ports({ port: 1, protocol: 'ICMP' }), refused: /protocol/ },
  { name: 'endPort below port', spec: ports({ port: 8010, endPort: 8000 }), refused: /endPort/ },
  { name: '25 ports', spec: ports(...Array.from({ length: 25 }, (_, i) => ({ port: 8000 + i }))), refused: /ports/ },
  { name: 'no families', spec: { ...base, ipFamilies: [] }, refused: /ipFamilies/ },
  {
    name: 'a family twice',
    spec: { ...base, ipFamilies: ['IPv4', 'IPv4'] },
    refused: /unique/,
    refusedByServer: /Duplicate value/,
  },
  {
    name: 'two rules of one name',
    spec: {
      ...to({ kubeAPIServer: {} }),
      allow: [0, 1].map(() => ({ name: 'r', to: [{ kubeAPIServer: {} }], ports: https })),
    },
    refused: /unique/,
    refusedByServer: /Duplicate value/,
  },
  {
    name: 'a rule name with a dot',
    spec: { ...base, allow: [{ name: 'a.b', to: [{ kubeAPIServer: {} }], ports: https }] },
    refused: /name/,
  },
  {
    name: '33 rules',
    spec: {
      ...base,
      allow: Array.from({ length: 33 }, (_, i) => ({ name: `r${i}`, to: [{ kubeAPIServer: {} }], ports: https })),
    },
    refused: /allow/,
  },
  {
    name: 'the API server at a range of ports',
    spec: to({ kubeAPIServer: {} }, [{ port: 1, endPort: 65535 }]),
    refused: /single ports/,
  },
  { name: '257 destinations', spec: { ...base, allow: rulesOf(257) }, refused: /at most 256 destinations/ },
  { name: 'an unknown onRefusal', spec: { ...base, onRefusal: 'AllowAll' }, refused: /onRefusal/ },
  { name: 'a default action', spec: { ...base, default: 'Allow' }, refused: /default/ },
  { name: 'a pod selector', spec: { ...base, podSelector: {} }, refused: /podSelector/ },
  { name: 'an id changed', before: { ...base, id: 'a' }, spec: { ...base, id: 'b' }, refused: /spec.id is immutable/ },
  { name: 'an id removed', before: { ...base, id: 'a' }, spec: base, refused: /spec.id is immutable/ },
];

const refusedPauses: readonly SchemaCase[] = [
  ...[
    '2030-02-29T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:60Z',
    '1999-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '2030-01-01',
    'tomorrow',
    '',
  ].map((until) => ({ ...paused({ until }), refused: /until/ })),
  { ...paused({ reason: '' }), refused: /reason/ },
  { ...paused({ reason: 'r'.repeat(257) }), name: 'a pause with a reason of 257 characters', refused: /reason/ },
  ...['a\nb', 'a\u001b[31m', 'a\u202eb'].map((reason) => ({ ...paused({ reason }), refused: /reason/ })),
  { ...paused({ reason: 'Wartung bis Freitag, größere Änderung' }), name: 'a pause with a reason that is not English' },
  { ...paused({ by: 'somebody' }), refused: /by/ },
];

export const egressPolicyCases: readonly SchemaCase[] = [
  ...accepted,
  ...refusedPauses,
  ...refusedDomains,
  ...refusedDestinations,
  ...refusedRest,
];
