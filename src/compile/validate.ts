/** What a spec may not say although its schema allows it. Each problem names the rule and the way out. */
import { getPublicSuffix } from 'tldts';
import type { CidrDestination, DomainDestination, WorkloadsDestination } from '../api/egress-destination.ts';
import type { EgressPolicySpec, EgressRule } from '../api/egress-policy.ts';
import { type Block, contains, coversInternet, type ForbiddenPart, forbiddenPart, parseBlock } from './cidr.ts';

export interface Limits {
  /** Whether whoever installs the chart allows policies that open the whole internet. */
  readonly allowAnyDestination: boolean;
  /** The cluster's own DNS domain: names in it are workloads, which have a destination of their own. */
  readonly clusterDomain: string;
  /** The cluster resolver's pods, when they are known: only `dns` may open them, or a rule beside it would undo its limits. */
  readonly resolver?: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> } | undefined;
}

/** `rule` is undefined for a problem of the policy as a whole; `index` is the position of the destination. */
export interface PolicyProblem {
  readonly rule?: string;
  readonly index?: number;
  readonly message: string;
}

interface Place {
  readonly rule: string;
  readonly index: number;
}

export function validateSpec(spec: EgressPolicySpec, limits: Limits): readonly PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const blocks: Block[] = [];
  for (const rule of spec.allow) {
    for (const [index, to] of rule.to.entries()) {
      const place = { rule: rule.name, index };
      if (to.domain !== undefined) problems.push(...domainProblems(to.domain, limits, place));
      if (to.workloads !== undefined) problems.push(...resolverProblems(to.workloads, rule, { limits, place }));
      if (to.cidr === undefined) continue;
      const found = cidrProblems(to.cidr, spec, place);
      problems.push(...found.problems);
      if (found.block !== undefined) blocks.push(found.block);
    }
  }
  const family = limits.allowAnyDestination ? undefined : coversInternet(blocks);
  if (family !== undefined) {
    problems.push({
      message: `the cidr blocks of the policy together open every public ${family} address: name the blocks that are needed, or have whoever installs the chart set operator.allowAnyDestination`,
    });
  }
  return problems;
}

function domainProblems(domain: DomainDestination, limits: Limits, place: Place): PolicyProblem[] {
  const name = domain.name ?? domain.suffix ?? '';
  const problems: PolicyProblem[] = [];
  if (name === limits.clusterDomain || name.endsWith(`.${limits.clusterDomain}`)) {
    problems.push({
      ...place,
      message: `${name} is a name of this cluster (${limits.clusterDomain}): use a workloads destination`,
    });
  }
  // Private suffixes count as well: every name below github.io belongs to somebody else.
  if (domain.suffix !== undefined && getPublicSuffix(domain.suffix, { allowPrivateDomains: true }) === domain.suffix) {
    problems.push({
      ...place,
      message: `${domain.suffix} is a public suffix, below which anyone may register a name: use a suffix that one owner controls`,
    });
  }
  return problems;
}

const DNS_PORT = 53;

function resolverProblems(
  { namespace, podLabels }: WorkloadsDestination,
  rule: EgressRule,
  { limits, place }: { readonly limits: Limits; readonly place: Place },
): PolicyProblem[] {
  const { resolver } = limits;
  if (resolver?.namespace !== namespace) return [];
  // By own keys: `constructor` is a label key like another.
  const known = new Map(Object.entries(resolver.podLabels));
  const apart = Object.entries(podLabels).some(([key, value]) => (known.get(key) ?? value) !== value);
  const opensDns = rule.ports.some(({ port, endPort = port }) => port <= DNS_PORT && DNS_PORT <= endPort);
  if (apart || !opensDns) return [];
  return [
    {
      ...place,
      message: `these pods may be the cluster resolver, and port ${DNS_PORT} of it is opened by dns.access only`,
    },
  ];
}

/** What lies inside cannot be excepted from: the destination has to go. */
function forbiddenMessage(block: Block, { block: text, what, parsed }: ForbiddenPart): string {
  if (contains(parsed, block)) return `${block.text} is part of ${text} (${what}), which no policy may open: remove it`;
  return `${block.text} includes ${text} (${what}), which no policy may open: use smaller blocks, or list it under except`;
}

function cidrProblems(
  cidr: CidrDestination,
  spec: EgressPolicySpec,
  place: Place,
): { readonly problems: PolicyProblem[]; readonly block?: Block } {
  const parsed = parseBlock(cidr.block);
  if (!parsed.ok) return { problems: [{ ...place, message: parsed.reason }] };
  const { block } = parsed;
  const problems: PolicyProblem[] = [];
  if (!spec.ipFamilies.includes(block.family)) {
    problems.push({ ...place, message: `${block.text} is ${block.family}, which ipFamilies does not list` });
  }
  const except: Block[] = [];
  for (const text of cidr.except ?? []) {
    const inner = parseBlock(text);
    if (!inner.ok) problems.push({ ...place, message: `except: ${inner.reason}` });
    else if (!contains(block, inner.block) || inner.block.prefix === block.prefix) {
      problems.push({ ...place, message: `except: ${text} is not strictly inside ${block.text}` });
    } else except.push(inner.block);
  }
  const forbidden = forbiddenPart(block, except);
  if (forbidden !== undefined) {
    problems.push({
      ...place,
      message: forbiddenMessage(block, forbidden),
    });
  }
  return { problems, block };
}
