/**
 * What is asserted, as data: for each capability a policy, and attempts with what is expected of them. Everything that the policy does not
 * open has to stay shut, so that each has both kinds. ADR 0014.
 */
import type { Capability } from '../api/capability.ts';
import { API_SERVER, byName, dns, resolve, tcp } from './attempt.ts';
import { CANARY_LABEL, type PolicySubject } from './subjects.ts';
import { afterLabel, commonBlock, type Name, onlyBlock, type Targets } from './targets.ts';
import { blocked, early, externalTries, type Gap, gap, supporting, type Try, through } from './tries.ts';

export interface Settings {
  readonly targets: Targets;
  /** The namespace of the canaries. */
  readonly namespace: string;
  readonly clusterDomain: string;
  /** The port that the API server listens on, behind its Service. */
  readonly apiServerPort: number;
}

/** What is known once the targets inside the cluster run. */
export interface Scene extends Settings {
  /** The addresses of the pod `target`, one of each family that pods have, and those of `other`. */
  readonly target: readonly string[];
  readonly other: readonly string[];
}

/** A spec of an EgressPolicy without its profile. */
export type PolicyInput = Readonly<Record<string, unknown>>;

export interface Assertion {
  readonly capability: Capability;
  readonly subject: PolicySubject;
  /** Undefined when a target is missing: what is missing, `tries` says. */
  readonly spec: (settings: Settings) => PolicyInput | undefined;
  readonly tries: (scene: Scene) => readonly (Try | Gap)[];
}

/** Where the pod `target` answers. */
export const TARGET_PORTS = { main: 8080, beside: 8081, first: 8082, last: 8084, beyond: 8085 } as const;
const { main, beside, first, last, beyond } = TARGET_PORTS;

const rule = (to: readonly object[], ...ports: readonly object[]) => ({ allow: [{ name: 'canary', to, ports }] });
const target = ({ namespace }: Settings) => ({ workloads: { namespace, podLabels: { [CANARY_LABEL]: 'target' } } });
const anyName = { dns: { access: 'ClusterResolver', queries: 'Any' } };
const allowedOnly = { dns: { access: 'ClusterResolver', queries: 'AllowedDomainsOnly' } };

/** A connection to the pod `target`, over each family that pods have. */
const toTarget = (scene: Scene, port: number) =>
  scene.target.map((address) => ({
    what: `pod target at port ${port} (${address})`,
    text: tcp(address, port, 'target'),
  }));
const toOther = (scene: Scene) =>
  scene.other.map((address) => ({ what: `pod other at port ${main} (${address})`, text: tcp(address, main, 'other') }));
/** The pod `target` answers DNS as well, so that there always is a resolver which is not the cluster's. */
const otherResolver = (scene: Scene) =>
  scene.target.map((address) => ({ what: `another resolver (${address})`, text: dns(address, clusterName(scene)) }));
const named = ({ name, port }: Name) => ({ what: `${name}:${port}`, text: byName(name, port) });
const lookup = (name: string) => ({ what: `the name ${name}`, text: resolve(name) });
const apiServer = { what: 'the API server', text: API_SERVER };

function clusterName({ clusterDomain }: Settings): string {
  return `kubernetes.default.svc.${clusterDomain}`;
}

/** Behind nothing but the floor. */
export function floorTries(scene: Scene): readonly Try[] {
  const { allowed, resolver } = scene.targets;
  return [
    ...toTarget(scene, main).map((item) => early(blocked(item))),
    ...otherResolver(scene).map(blocked),
    blocked(lookup(clusterName(scene))),
    blocked(apiServer),
    supporting(blocked({ what: 'the metadata address', text: tcp('169.254.169.254', 80) })),
    ...allowed.map(({ address, port }) =>
      supporting(blocked({ what: `${address}:${port}`, text: tcp(address, port) })),
    ),
    ...(resolver === undefined ? [] : [supporting(blocked(outerResolver(resolver, scene)))]),
  ];
}

function outerResolver(resolver: string, scene: Settings) {
  return {
    what: `the resolver ${resolver}`,
    text: dns(resolver, scene.targets.allowedName?.name ?? clusterName(scene)),
  };
}

const workloads: Assertion = {
  capability: 'workloads',
  subject: 'workloads',
  spec: (settings) => rule([target(settings)], { port: main }),
  tries: (scene) => [
    ...toTarget(scene, main).map(through),
    ...toTarget(scene, beside).map(blocked),
    ...toOther(scene).map(blocked),
  ],
};

const portRange: Assertion = {
  capability: 'ports.range',
  subject: 'ports-range',
  spec: (settings) => rule([target(settings)], { port: first, endPort: last }),
  tries: (scene) => [
    ...[first, last].flatMap((port) => toTarget(scene, port).map(through)),
    ...[beside, beyond].flatMap((port) => toTarget(scene, port).map(blocked)),
  ],
};

const cidr: Assertion = {
  capability: 'cidr',
  subject: 'cidr',
  spec: ({ targets: { allowed, denied } }) =>
    allowed.length === 0 || denied.length === 0
      ? undefined
      : { allow: allowed.map((item) => cidrRule(item.family, { block: onlyBlock(item) }, item.port)) },
  tries: externalTries,
};

const cidrExcept: Assertion = {
  capability: 'cidr.except',
  subject: 'cidr-except',
  spec: ({ targets: { allowed, denied } }) => {
    const allow = allowed.flatMap((item) => {
      const apart = denied.find(({ family }) => family === item.family);
      if (apart === undefined) return [];
      // Both ports, or the denied one would be shut by its port alone.
      const ports = [...new Set([item.port, apart.port])].map((port) => ({ port }));
      const except = [onlyBlock(apart)];
      return [{ name: item.family.toLowerCase(), to: [{ cidr: { block: commonBlock(item, apart), except } }], ports }];
    });
    return allow.length === 0 ? undefined : { allow };
  },
  tries: externalTries,
};

function cidrRule(family: string, block: object, port: number) {
  return { name: family.toLowerCase(), to: [{ cidr: block }], ports: [{ port }] };
}

const clusterResolver: Assertion = {
  capability: 'dns.clusterResolver',
  subject: 'dns-resolver',
  spec: () => anyName,
  tries: (scene) => [
    through(lookup(clusterName(scene))),
    ...otherResolver(scene).map(blocked),
    ...toTarget(scene, main).map(blocked),
    ...(scene.targets.resolver === undefined
      ? []
      : [supporting(blocked(outerResolver(scene.targets.resolver, scene)))]),
  ],
};

/** Both names, or what is missing. */
function withNames(
  { allowedName, deniedName }: Targets,
  use: (allowed: Name, denied: Name) => readonly Try[],
): readonly (Try | Gap)[] {
  if (allowedName === undefined || deniedName === undefined) return [gap('an allowed and a denied name')];
  return use(allowedName, deniedName);
}

const dnsFilter: Assertion = {
  capability: 'dns.filter',
  subject: 'dns-filter',
  spec: ({ targets: { allowedName } }) => allowedName && { ...allowedOnly, ...nameRule(allowedName) },
  tries: (scene) =>
    withNames(scene.targets, (allowed, denied) => [
      through(lookup(allowed.name)),
      through(named(allowed)),
      blocked(lookup(denied.name)),
      blocked(lookup(clusterName(scene))),
      ...otherResolver(scene).map(blocked),
    ]),
};

const exactName: Assertion = {
  capability: 'domain.exact',
  subject: 'domain-exact',
  spec: ({ targets: { allowedName } }) => allowedName && { ...anyName, ...nameRule(allowedName) },
  tries: (scene) =>
    withNames(scene.targets, (allowed, denied) => [
      through(named(allowed)),
      blocked({ ...named(denied), apartFrom: byName(allowed.name, allowed.port) }),
      ...otherResolver(scene).map(blocked),
    ]),
};

function nameRule({ name, port }: Name) {
  return rule([{ domain: { name } }], { port });
}

function suffixRule(below: Name, depth: 'OneLabel' | 'AnyDepth', ports: readonly number[]) {
  const suffix = afterLabel(below.name);
  return { ...anyName, ...rule([{ domain: { suffix, depth } }], ...[...new Set(ports)].map((port) => ({ port }))) };
}

const SUFFIX_NAMES = 'a name below a suffix by one label and one by two';

const oneLabel: Assertion = {
  capability: 'domain.oneLabel',
  subject: 'domain-one-label',
  spec: ({ targets: { oneLabelName: one, twoLabelName: two } }) =>
    one && two && suffixRule(one, 'OneLabel', [one.port, two.port]),
  tries: ({ targets: { oneLabelName: one, twoLabelName: two } }) =>
    one === undefined || two === undefined
      ? [gap(SUFFIX_NAMES)]
      : [through(named(one)), blocked({ ...named(two), apartFrom: byName(one.name, one.port) })],
};

const anyDepth: Assertion = {
  capability: 'domain.anyDepth',
  subject: 'domain-any-depth',
  spec: ({ targets: { oneLabelName: one, twoLabelName: two, deniedName: denied } }) =>
    one && two && denied && suffixRule(one, 'AnyDepth', [one.port, two.port, denied.port]),
  tries: ({ targets: { oneLabelName: one, twoLabelName: two, deniedName: denied } }) =>
    one === undefined || two === undefined || denied === undefined
      ? [gap(`${SUFFIX_NAMES}, and a denied name`)]
      : [
          through(named(one)),
          through(named(two)),
          blocked({ ...named(denied), apartFrom: byName(two.name, two.port) }),
        ],
};

const kubeAPIServer: Assertion = {
  capability: 'kubeAPIServer',
  subject: 'kube-api-server',
  spec: ({ apiServerPort }) => rule([{ kubeAPIServer: {} }], { port: apiServerPort }),
  tries: (scene) => [through(apiServer), ...toTarget(scene, main).map(blocked)],
};

/** Where pods have no address of the other family there is nothing of it to deny. */
function oneFamily(family: 'IPv4' | 'IPv6', subject: PolicySubject): Assertion {
  const isOf = (address: string) => address.includes(':') === (family === 'IPv6');
  return {
    capability: family === 'IPv4' ? 'family.ipv4Only' : 'family.ipv6Only',
    subject,
    spec: (settings) => ({ ipFamilies: [family], ...rule([target(settings)], { port: main }) }),
    tries: (scene) => {
      const own = { ...scene, target: scene.target.filter(isOf) };
      const foreign = { ...scene, target: scene.target.filter((address) => !isOf(address)) };
      if (own.target.length === 0) return [gap(`a pod with an address of ${family}`)];
      return [
        ...toTarget(own, main).map(through),
        ...toTarget(own, beside).map(blocked),
        ...toTarget(foreign, main).map(blocked),
      ];
    },
  };
}

/** `isolation` is what the floor does, and has no policy. `domain.tlsServerName` is compiled for no provider yet. */
export const ASSERTIONS: readonly Assertion[] = [
  workloads,
  portRange,
  cidr,
  cidrExcept,
  clusterResolver,
  dnsFilter,
  exactName,
  oneLabel,
  anyDepth,
  kubeAPIServer,
  oneFamily('IPv4', 'family-ipv4'),
  oneFamily('IPv6', 'family-ipv6'),
];
