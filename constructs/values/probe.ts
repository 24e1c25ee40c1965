import { bool, int, list, object, string, stringMap } from './build.ts';
import { dnsLabel, dnsSubdomain, ipAddress, ipv4, ipv6 } from './formats.ts';
import { resources } from './kubernetes.ts';
import { logLevel } from './log-level.ts';
import type { RefsOf } from './refs.ts';

const label = '[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?';
/** The last label begins with a letter, or it could be an address. */
const name = `(${label}\\.){1,5}[a-z]([a-z0-9-]{0,30}[a-z0-9])?`;

const port = int('Port of both.', { default: 443, minimum: 1, maximum: 65535 });

function optional(description: string, pattern: string, maxLength: number) {
  return string(description, { default: '', pattern: `^(${pattern})?$`, maxLength });
}

function addresses(family: string, pattern: string) {
  return object(`Two addresses of ${family}.`, {
    allowed: optional('One that answers. A CIDR rule for it has to open it.', pattern, 45),
    denied: optional('Another that answers. It has to stay shut.', pattern, 45),
    port,
  });
}

const targets = object(
  'What is tried outside of the cluster. Without it domains and CIDR blocks are Inconclusive, and policies with such rules not Enforced.',
  {
    ipv4: addresses('IPv4', ipv4),
    ipv6: addresses('IPv6, where pods have one', ipv6),
    names: object('Two names, on different addresses.', {
      allowed: optional('One that answers. A domain rule for it has to open it.', name, 200),
      denied: optional('Another that answers. It has to stay shut.', name, 200),
      port,
    }),
    suffix: object('Two names below one suffix, on different addresses, for domain rules with a depth.', {
      name: optional('The suffix, as cdn.example.com.', name, 200),
      oneLabel: optional('What stands before it in the one, as a.', label, 32),
      twoLabels: optional('What stands before it in the other, as a.b.', `${label}\\.${label}`, 65),
      port,
    }),
    resolver: string("Address of a resolver that is not the cluster's. It must not answer to governed pods.", {
      default: '',
      pattern: `^$|${ipAddress}`,
      maxLength: 45,
    }),
  },
);

/** The values of the probe. */
export const probeValues = object(
  'The probe: shows with packets what the cluster enforces, in a namespace of its own. EgressPolicies get the condition Enforced by it.',
  {
    enabled: bool('Run it. It may create pods and network policies in probe.namespace, and nowhere else.', false),
    namespace: string(
      'Namespace of the canaries. It must exist, hold nothing else, and be neither governed nor the one of the release: whoever may ' +
        'create pods somewhere may run them as any ServiceAccount there.',
      { default: '', pattern: `^$|${dnsLabel}`, maxLength: 63 },
    ),
    targets,
    intervalSeconds: int('Seconds between two runs. What did not come out well is tried again sooner.', {
      default: 600,
      minimum: 60,
      maximum: 86400,
    }),
    expirySeconds: int('Seconds for which a result counts. More than intervalSeconds.', {
      default: 1800,
      minimum: 120,
      maximum: 604800,
    }),
    imagePullSecrets: list(
      'Secrets of probe.namespace to pull the image with.',
      object('A reference to a Secret.', {
        name: string('Name of the Secret.', { pattern: dnsSubdomain, maxLength: 253 }),
      }),
      { maxItems: 16, unique: true },
    ),
    nodeSelector: stringMap('Labels of the nodes that it is tried on: those of your agents.', { values: 'label' }),
    logLevel,
    resources: resources('the probe', { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '192Mi' } }),
  },
);

export type ProbeRefs = RefsOf<typeof probeValues>;
