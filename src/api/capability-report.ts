/** CapabilityReport: what this cluster can do, as seen by the inventory identity. Sanitized: no workloads, no nodes. */
import type * as z from 'zod';
import { CAPABILITIES, CAPABILITY_STATES, ENFORCEMENT_RESULTS, PROVIDER_NAMES } from './capability.ts';
import { AGE_COLUMN } from './columns.ts';
import { conditions } from './conditions.ts';
import { dnsLabel, int32, int64, list, mapList, obj, objectName, oneOf, str, stringMap, time } from './dialect.ts';
import { defineKind } from './kind.ts';

const reason = str('A stable, machine-readable reason in CamelCase.', { max: 64, pattern: /^[A-Za-z][A-Za-z0-9]*$/ });

const provider = obj('The network policy provider that was recognised.', {
  name: oneOf('The provider; none when nothing that enforces was recognised.', PROVIDER_NAMES),
  version: str('Its version, when it says so.', { max: 64 }).optional(),
  configHash: str('A digest over the settings that were read: when it changes, so may the capabilities.', {
    max: 80,
  }).optional(),
  detail: str('How it was recognised, or why not, for a person.', { max: 1024 }).optional(),
  agents: obj('The agents of the provider.', {
    desired: int32('Nodes that should run one.', { min: 0, max: 1_000_000 }),
    ready: int32('Nodes whose agent is ready.', { min: 0, max: 1_000_000 }),
  }).optional(),
});

const capability = obj('One capability and its state.', {
  name: oneOf('The capability.', CAPABILITIES),
  state: oneOf('Discovery can prove absence; presence is a declaration of the provider.', CAPABILITY_STATES),
  reason: reason.optional(),
});

const dns = obj('The cluster resolver that governed pods may ask.', {
  namespace: dnsLabel('The namespace of its pods.'),
  podLabels: stringMap('The labels of its pods.', { min: 1, maxEntries: 8, value: { max: 63 } }),
  nodeLocal: str('The DaemonSet of a node-local cache, when there is one.', { max: 253 }).optional(),
});

const apiServer = obj('Where the API server answers, for providers that have no name for it.', {
  addresses: list('Addresses.', str('An IP address.', { max: 45 }), { max: 32 }),
  port: int32('The port.', { min: 1, max: 65535 }),
});

export const RUNTIME_CLASS_STATES = ['Present', 'Missing', 'NotReadable'] as const;
export const MAX_RUNTIME_CLASSES = 32;

const runtimeClass = obj('A RuntimeClass that was looked for.', {
  name: objectName('Its name.'),
  state: oneOf('Whether it exists. NotReadable: the inventory may not get it.', RUNTIME_CLASS_STATES),
});

const probed = obj('What the results in enforcement are about. Where it is not so any more, they say nothing.', {
  provider: oneOf('The provider.', PROVIDER_NAMES),
  version: str('Its version.', { max: 64 }).optional(),
  configHash: str('The digest of its settings.', { max: 80 }).optional(),
  capabilityHash: str('The digest of everything that compilation depends on.', { max: 80 }),
  compiler: str('The version of AgentPlane that compiled the policies.', { max: 64 }),
});

const enforcement = obj('One capability, and what packets have shown of it.', {
  capability: oneOf('The capability.', CAPABILITIES),
  result: oneOf('The outcome of the newest run of the probe.', ENFORCEMENT_RESULTS),
  reason,
  message: str('The same for a person: which attempt, and what came of it.', { max: 512 }),
  at: time('When it was tried.'),
  expiresAt: time('Until when it counts.'),
  nodes: obj('The nodes that it was tried on.', {
    covered: int32('Their number.', { min: 0, max: 1_000_000 }),
    total: int32('Nodes that run an agent of the provider.', { min: 0, max: 1_000_000 }).optional(),
  }),
});

const status = obj('What was observed.', {
  observedAt: time('When. A report older than the staleness limit counts as unknown.').optional(),
  kubernetesVersion: str('Major and minor version of the API server.', { max: 32 }).optional(),
  capabilityHash: str('A digest over everything below that compilation depends on.', { max: 80 }).optional(),
  provider: provider.optional(),
  capabilities: mapList('Every capability with its state.', capability, { key: 'name', max: 64 }).optional(),
  dns: dns.optional(),
  apiServer: apiServer.optional(),
  runtimeClasses: mapList('The RuntimeClasses that the inventory was told to look for.', runtimeClass, {
    key: 'name',
    max: MAX_RUNTIME_CLASSES,
  }).optional(),
  probed: probed.optional(),
  enforcement: mapList('What the probe has shown. Written by the probe identity only.', enforcement, {
    key: 'capability',
    max: 64,
  }).optional(),
  observedGeneration: int64('The generation that this status is about.').optional(),
  conditions,
});

export type RuntimeClassState = (typeof RUNTIME_CLASS_STATES)[number];
export type CapabilityReportStatus = z.output<typeof status>;
export type Probed = z.output<typeof probed>;
export type Enforcement = z.output<typeof enforcement>;

export const CapabilityReport = defineKind({
  kind: 'CapabilityReport',
  plural: 'capabilityreports',
  singular: 'capabilityreport',
  shortNames: ['capreport'],
  description: 'A CapabilityReport says what this cluster can enforce. Written by the inventory identity only.',
  spec: undefined,
  status,
  columns: [
    {
      name: 'Provider',
      type: 'string',
      jsonPath: '.status.provider.name',
      description: 'The provider that was recognised',
    },
    { name: 'Version', type: 'string', jsonPath: '.status.provider.version', description: 'Its version' },
    {
      name: 'Ready Agents',
      type: 'integer',
      jsonPath: '.status.provider.agents.ready',
      description: 'Nodes whose agent is ready',
    },
    {
      name: 'Observed',
      type: 'date',
      jsonPath: '.status.observedAt',
      description: 'When the cluster was last looked at',
    },
    AGE_COLUMN,
  ],
  transitions: [],
  nameRules: [],
});
