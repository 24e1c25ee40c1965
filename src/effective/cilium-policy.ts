/** CiliumNetworkPolicy as defined in cilium/cilium:Documentation/security/policy and pkg/policy/api. */
import { isCertainlyTaken } from './cilium-certain.ts';
import { type PeerContext, readPeers } from './cilium-peers.ts';
import { readLayer4, saysSomething } from './cilium-ports.ts';
import { readEndpointSelector, selectsSubject } from './cilium-selector.ts';
import { allRead, canonicalJson, isAbsent, isObject, type Json, objectOf, objectsOf } from './json.ts';
import { mayOpen, type Reading, refOf, SAYS_NOTHING } from './reading.ts';
import type { Grant, Layer7, Peer, PolicyRef, Subject, World } from './types.ts';
import { isAtLeast } from './version.ts';
import { isLongSelector } from './weigh.ts';

interface Context {
  readonly source: PolicyRef;
  readonly subject: Subject;
  readonly world: World;
}

/** False for a policy that is about other pods, told without reading more than its selectors. */
export function mayConcern({ spec, specs }: Json, subject: Subject, world: World): boolean {
  const parts = [isAbsent(spec) ? [] : spec, isAbsent(specs) ? [] : specs].flat();
  const selectors = parts.map((part) => (isObject(part) ? part.endpointSelector : undefined));
  if (isLongSelector(selectors)) return true;
  return selectors.some((selector) => selectsSubject(selector, subject, world) !== false);
}

/** Cilium takes a policy as a whole or not at all: where one part may be refused, none of it holds anything shut. */
export function readCiliumPolicy(policy: unknown, subject: Subject, world: World): Reading {
  if (!isObject(policy)) return SAYS_NOTHING;
  const source = refOf('CiliumNetworkPolicy', policy);
  if (source.namespace !== subject.namespace) return SAYS_NOTHING;
  const { spec, specs } = policy;
  const more = objectsOf(specs);
  if (more === undefined || (!isAbsent(spec) && !isObject(spec))) return mayOpen(source, 'spec', spec ?? specs);
  const parts = [
    ...(isObject(spec) ? [['spec', spec] as const] : []),
    ...more.map((part, i) => [`specs[${i}]`, part] as const),
  ];
  const isCertain = parts.every(([, part]) => isCertainlyTaken(part));
  const readings = parts.map(([path, part]) => readSpec(part, path, { source, subject, world }));
  const grants = readings.flatMap((reading) => reading.grants);
  if (readings.some(({ isRefused }) => isRefused)) return { ...SAYS_NOTHING, grants };
  return {
    isolates: readings.some(({ isolates }) => isolates),
    grants,
    denies: isCertain ? readings.flatMap(({ denies }) => denies) : [],
  };
}

interface SpecReading extends Reading {
  readonly isRefused: boolean;
}

const RULES = ['ingress', 'ingressDeny', 'egress', 'egressDeny'];

function readSpec(spec: Json, path: string, context: Context): SpecReading {
  if (!RULES.some((field) => saysSomething(spec[field]))) return { ...SAYS_NOTHING, isRefused: true };
  const selected = selectsSubject(spec.endpointSelector, context.subject, context.world);
  const allow = readRules(spec, 'egress', path, context);
  const deny = readRules(spec, 'egressDeny', path, context);
  const defaultDeny = objectOf(spec.enableDefaultDeny);
  const isReadable = readEndpointSelector(spec.endpointSelector) !== undefined;
  const isRefused = !isReadable || !isAbsent(spec.nodeSelector) || isIngressRefused(spec);
  if (isRefused || allow === undefined || deny === undefined || defaultDeny === undefined) {
    const reading = selected === false ? SAYS_NOTHING : mayOpen(context.source, path, spec);
    return { ...reading, isRefused: true };
  }
  if (selected === false) return { ...SAYS_NOTHING, isRefused };
  // Whether it selects the pod is not known: it may open, but nothing rests on it.
  if (selected === undefined) return { ...SAYS_NOTHING, grants: allow.grants, isRefused };
  // Without a rule there is nothing that could deny by default, whatever the switch says.
  const isolates = allow.rules + deny.rules > 0 && defaultDeny.egress !== false;
  // What cannot be computed is not relied on to deny.
  const denies = deny.grants.filter(({ peer }) => peer.kind !== 'unknown');
  return { isolates, grants: allow.grants, denies, isRefused };
}

/** Ingress rules say nothing about egress, but one that is refused takes the egress rules of the policy with it. */
function isIngressRefused({ ingress, ingressDeny }: Json): boolean {
  const rules = [objectsOf(ingress), objectsOf(ingressDeny)];
  return rules.some((list) => list === undefined || list.some(isIngressRuleRefused));
}

function isIngressRuleRefused(rule: Json): boolean {
  const sources = Object.entries(rule).filter(([field, value]) => field.startsWith('from') && saysSomething(value));
  const parts = readLayer4(rule, { anyDepth: true, withoutLayer7: false });
  return sources.length > 1 || parts === undefined || parts.some(({ layer7 }) => layer7?.kind === 'dns');
}

interface Rules {
  readonly rules: number;
  readonly grants: readonly Grant[];
}

function readRules(spec: Json, field: 'egress' | 'egressDeny', path: string, context: Context): Rules | undefined {
  const rules = objectsOf(spec[field]);
  const numbered = rules?.map((rule, index) => ({ rule, at: `${path}.${field}[${index}]` }));
  const grants = allRead(numbered, ({ rule, at }) => readRule(rule, at, context));
  return rules && grants && { rules: rules.length, grants: grants.flat() };
}

function readRule(rule: Json, path: string, { source, world }: Context): readonly Grant[] | undefined {
  const { version } = world;
  const context: PeerContext = {
    namespace: source.namespace,
    world,
    path,
    anyDepth: version === undefined || isAtLeast(version, [1, 19, 0]),
    withoutLayer7: world.withoutLayer7 === true,
    emptyIsNone: version !== undefined && isAtLeast(version, [1, 18, 4]),
  };
  const peers = readPeers(rule, context);
  const layer4 = readLayer4(rule, context);
  // The node selectors of toNodes are behind a flag that is off by default, without which the policy is refused.
  if (peers === undefined || layer4 === undefined || !isAbsent(rule.toNodes)) return undefined;
  // A rule that names neither destination nor port allows nothing; with ports alone it is about every destination.
  const everywhere: readonly Peer[] = layer4.length > 0 ? [{ kind: 'everything' }] : [];
  const parts = layer4.length > 0 ? layer4 : [{ ports: 'all' } as const];
  const authentication = readAuthentication(rule);
  return (peers === 'anywhere' ? everywhere : peers).flatMap((peer) =>
    parts
      .filter(({ ports }) => ports.length > 0)
      .map((part) => ({ peer, ...part, ...(authentication && { layer7: authentication }), source })),
  );
}

/** Whether a peer can authenticate is not computed: only a rule that asks the same is known to be no more. */
function readAuthentication({ authentication }: Json): Layer7 | undefined {
  return isAbsent(authentication) ? undefined : { kind: 'other', rules: canonicalJson({ authentication }) };
}
