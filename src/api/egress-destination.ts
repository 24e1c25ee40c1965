/** One destination of an egress rule: exactly one of domain, cidr, workloads, kubeAPIServer. */
import type * as z from 'zod';
import { dnsLabel, exactlyOneOf, list, obj, oneOf, type Rule, str, stringMap, withRules } from './dialect.ts';

/** What both a domain name and a domain suffix must be. Kept as rules, not one pattern, so that each refusal says why. */
const DOMAIN_RULES: readonly Rule<string>[] = [
  {
    rule: "self.matches('^[ -~]*$')",
    message: 'only ASCII: write an internationalised name in its punycode form (xn--...)',
    check: (self) => /^[ -~]*$/.test(self),
  },
  {
    rule: "!self.matches('[A-Z]')",
    message: 'must be lower case',
    check: (self) => !/[A-Z]/.test(self),
  },
  {
    rule: "!self.endsWith('.')",
    message: 'must not end with a dot',
    check: (self) => !self.endsWith('.'),
  },
  {
    rule: "self.contains('.')",
    message: 'must have at least two labels',
    check: (self) => self.includes('.'),
  },
  {
    rule: "!self.contains('*')",
    message: 'must not contain a wildcard: use suffix and depth',
    check: (self) => !self.includes('*'),
  },
  {
    rule: "self.matches('^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*[.]?$') || self.matches('[^ -~]|[A-Z]|[*]')",
    message: 'must consist of labels of letters, digits and inner hyphens, each of at most 63 characters',
    check: (self) =>
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*[.]?$/.test(self) ||
      /[^ -~]|[A-Z]|[*]/.test(self),
  },
  {
    rule: "!self.matches('[.][0-9]+[.]?$')",
    message: 'must not end in a number: for an address use cidr',
    check: (self) => !/[.][0-9]+[.]?$/.test(self),
  },
];

function domainString(description: string, max: number): z.ZodString {
  return withRules(str(description, { min: 1, max }), DOMAIN_RULES);
}

/** Leaves room for one label and a dot before it: no name below a longer suffix would be valid. */
const MAX_SUFFIX = 251;

const domain = withRules(
  obj('A DNS name outside the cluster, or every name below one.', {
    name: domainString('Exactly this name.', 253).optional(),
    suffix: domainString('Names below this one. The name itself is never included.', MAX_SUFFIX).optional(),
    depth: oneOf('How many labels may stand before the suffix.', ['OneLabel', 'AnyDepth']).optional(),
  }),
  [
    exactlyOneOf<{ name?: unknown; suffix?: unknown }>('name', 'suffix'),
    {
      rule: 'has(self.suffix) == has(self.depth)',
      message: 'depth (OneLabel or AnyDepth) is required with suffix, and only with it',
      check: (self) => (self.suffix === undefined) === (self.depth === undefined),
    },
  ],
);

const cidrString = (description: string): z.ZodString =>
  str(description, { min: 4, max: 43, pattern: /^[0-9a-f.:]+\/[0-9]{1,3}$/ });

const cidr = obj('Addresses outside the cluster, without host bits set and in canonical form.', {
  block: cidrString('The block, such as 203.0.113.0/24 or 2001:db8::/32.'),
  except: list('Blocks inside it that stay denied.', cidrString('A block.'), { max: 8 }).optional(),
});

/**
 * Stricter in length than Kubernetes: policies are stored many times over, and a provider adds a prefix of its own. As strict in
 * form, since an agent that does not understand one key refuses the whole policy.
 */
const MAX_LABEL_KEY = 128;
const LABEL_KEY =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';

const workloads = obj('Pods of this cluster.', {
  namespace: dnsLabel('Their namespace.'),
  podLabels: withRules(
    stringMap('Labels that they all have.', {
      min: 1,
      maxEntries: 4,
      value: { max: 63, pattern: /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/ },
    }),
    [
      {
        rule: `self.all(k, size(k) <= ${MAX_LABEL_KEY} && k.matches('${LABEL_KEY}'))`,
        message: `keys must be label keys of at most ${MAX_LABEL_KEY} characters, with a DNS subdomain before the slash`,
        check: (self) =>
          Object.keys(self).every((key) => key.length <= MAX_LABEL_KEY && new RegExp(LABEL_KEY).test(key)),
      },
    ],
  ),
});

export const destination = withRules(
  obj('A destination.', {
    domain: domain.optional(),
    cidr: cidr.optional(),
    workloads: workloads.optional(),
    kubeAPIServer: obj('The API server of this cluster.', {}).optional(),
  }),
  [
    exactlyOneOf<{ domain?: unknown; cidr?: unknown; workloads?: unknown; kubeAPIServer?: unknown }>(
      'domain',
      'cidr',
      'workloads',
      'kubeAPIServer',
    ),
  ],
);

export type Destination = z.output<typeof destination>;
export type DomainDestination = z.output<typeof domain>;
export type CidrDestination = z.output<typeof cidr>;
export type WorkloadsDestination = z.output<typeof workloads>;
