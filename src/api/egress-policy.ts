/** EgressPolicy: what the pods of a RuntimeProfile may reach. Everything else is denied; there is no default-allow. */
import type * as z from 'zod';
import { CAPABILITIES } from './capability.ts';
import { AGE_COLUMN, READY_COLUMNS } from './columns.ts';
import { conditions } from './conditions.ts';
import { dnsLabel, int32, int64, list, mapList, obj, objectName, oneOf, setOf, str, withRules } from './dialect.ts';
import { destination } from './egress-destination.ts';
import { defineKind } from './kind.ts';
import { ID_IS_IMMUTABLE, stableId } from './meta.ts';
import { pause } from './pause.ts';
import { profileRef } from './profile-ref.ts';

/** AWS honours 24 port and protocol pairs per endpoint and drops the rest; the limit is taken over for all providers. */
const MAX_PORTS = 24;
const MAX_RULES = 32;
const MAX_DESTINATIONS = 32;

const port = withRules(
  obj('A numeric port, or a range of them.', {
    protocol: oneOf('The transport protocol.', ['TCP', 'UDP']).default('TCP'),
    port: int32('The port, or the first of a range.', { min: 1, max: 65535 }),
    endPort: int32('The last port of the range.', { min: 1, max: 65535 }).optional(),
  }),
  [
    {
      rule: '!has(self.endPort) || self.endPort >= self.port',
      message: 'endPort must be equal to or greater than port',
      check: (self) => self.endPort === undefined || self.endPort >= self.port,
    },
  ],
);

/** Of all rules together: keeps a policy, and what it is compiled to, far below what an API server stores and an operator caches. */
const MAX_ALL_DESTINATIONS = 256;

const rule = withRules(
  obj('Destinations, and the ports at which they may be reached.', {
    name: dnsLabel('The name of the rule, used in every message about it.'),
    to: list('Destinations; each is one of domain, cidr, workloads, kubeAPIServer.', destination, {
      min: 1,
      max: MAX_DESTINATIONS,
    }),
    ports: list('Ports. Required: there is no "all ports".', port, { min: 1, max: MAX_PORTS }),
  }),
  [
    {
      rule: '!self.to.exists(t, has(t.kubeAPIServer)) || self.ports.all(p, !has(p.endPort))',
      message: 'kubeAPIServer takes single ports: a range would open other services of its node',
      check: (self) =>
        !self.to.some((t) => t.kubeAPIServer !== undefined) || self.ports.every((p) => p.endPort === undefined),
    },
  ],
);

const spec = withRules(
  obj('What may be reached.', {
    id: stableId,
    profileRef,
    ipFamilies: setOf(
      'The IP families that may be used. An absent family is denied.',
      oneOf('A family.', ['IPv4', 'IPv6']),
      {
        min: 1,
        max: 2,
      },
    ).default(['IPv4', 'IPv6']),
    require: obj('The least that the provider must assure.', {
      domainAssurance: oneOf('What a domain rule must mean: the resolved address, or also the TLS server name.', [
        'ResolvedIP',
        'TLSServerName',
      ]).default('ResolvedIP'),
      verification: oneOf('What Ready needs: the declaration of the provider, or proof by the probe.', [
        'Declared',
        'Probed',
      ]).default('Declared'),
    }).prefault({}),
    dns: obj('Name resolution.', {
      access: oneOf('Whether the cluster resolver may be asked at all.', ['ClusterResolver', 'None']).default('None'),
      queries: oneOf('Which names may be asked for.', ['Any', 'AllowedDomainsOnly']).default('AllowedDomainsOnly'),
    }).prefault({}),
    allow: mapList('What may be reached. Empty or absent: nothing.', rule, { key: 'name', max: MAX_RULES }).default([]),
    onRefusal: oneOf('What happens to the policy in force when a newer spec cannot be applied.', [
      'KeepPrevious',
      'DenyAll',
    ]).default('KeepPrevious'),
    pause,
  }),
  [
    {
      rule: "self.dns.access == 'ClusterResolver' || !has(self.allow) || !self.allow.exists(r, r.to.exists(t, has(t.domain)))",
      message: 'a domain rule needs dns.access: ClusterResolver, or its names cannot be resolved',
      check: (self) =>
        self.dns.access === 'ClusterResolver' || !self.allow.some((r) => r.to.some((t) => t.domain !== undefined)),
    },
    {
      rule: `!has(self.allow) || self.allow.map(r, size(r.to)).sum() <= ${MAX_ALL_DESTINATIONS}`,
      message: `at most ${MAX_ALL_DESTINATIONS} destinations in all rules together: use more policies for one profile`,
      check: (self) => self.allow.reduce((sum, r) => sum + r.to.length, 0) <= MAX_ALL_DESTINATIONS,
    },
  ],
);

const output = obj('A generated object.', {
  apiVersion: str('Its API version.', { max: 128 }),
  kind: str('Its kind.', { max: 63 }),
  name: objectName('Its name.'),
  uid: str('Its UID.', { max: 64 }),
});

const putInForce = (description: string) =>
  obj(description, {
    generation: int64('The generation it was compiled from.'),
    specHash: str('A digest over the generated objects.', { max: 80 }),
    outputs: list('The generated objects.', output, { max: 8 }),
  });

const status = obj('What was observed.', {
  observedGeneration: int64('The generation that this status is about.').optional(),
  inForce: putInForce('What is really enforced; it may be older than the newest spec.').optional(),
  lastApplied: putInForce(
    'What was put in force last, kept while somebody else has changed it since: then inForce is absent.',
  ).optional(),
  provider: obj('The provider it was compiled for.', {
    name: str('The provider.', { max: 64 }),
    version: str('Its version.', { max: 64 }).optional(),
    capabilityHash: str('The digest of the capabilities that were used.', { max: 80 }).optional(),
  }).optional(),
  unsupported: list(
    'What this cluster cannot do. A problem of the policy as a whole has no rule.',
    obj('One capability that is missing.', {
      rule: str('The name of the rule.', { max: 63 }).optional(),
      index: int32('The position of the destination or port in the rule.', { min: 0, max: 64 }).optional(),
      capability: oneOf('The capability.', CAPABILITIES),
      reason: str('Why it is missing.', { max: 64 }),
    }),
    { max: 64 },
  ).optional(),
  matchedPods: int32('Pods that run as the account of the profile.', { min: 0, max: 1_000_000 }).optional(),
  conditions,
});

export type EgressPolicySpec = z.output<typeof spec>;
export type EgressPolicyStatus = z.output<typeof status>;
export type EgressRule = z.output<typeof rule>;
export type EgressPort = z.output<typeof port>;

export const EgressPolicy = defineKind({
  kind: 'EgressPolicy',
  plural: 'egresspolicies',
  singular: 'egresspolicy',
  shortNames: ['egp'],
  description: 'An EgressPolicy says what the pods of a RuntimeProfile may reach. What it does not allow is denied.',
  spec,
  status,
  columns: [
    { name: 'Profile', type: 'string', jsonPath: '.spec.profileRef.name', description: 'The RuntimeProfile' },
    ...READY_COLUMNS,
    {
      name: 'In Force',
      type: 'integer',
      jsonPath: '.status.inForce.generation',
      description: 'The generation that is enforced',
    },
    { name: 'Provider', type: 'string', jsonPath: '.status.provider.name', description: 'The provider' },
    AGE_COLUMN,
  ],
  transitions: [ID_IS_IMMUTABLE],
  nameRules: [],
});
