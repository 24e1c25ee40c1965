import { type Box, boxOf, commonBox, isEmptyBox, subtractBoxes } from './box.ts';
import { ANY_CONDITION } from './condition.ts';
import { grantsOf } from './grants-of.ts';
import { mergeBoxes } from './merge-boxes.ts';
import { isSinglePort } from './ports.ts';
import { TOO_COMPLEX, tooComplex } from './reading.ts';
import type { Egress, Grant } from './types.ts';
import { attempt, spend, type Work } from './work.ts';

/** Steps for what is compared with, and again for all that is compared. A million take about a tenth of a second. */
const MAX_STEPS = 500_000;

/**
 * What `after` allows that `before` does not, each with the policy that opens it. Never misses one: exact for addresses, ports and labels,
 * and a pattern of names that is not covered by one pattern counts as opened. A grant of every destination is given back with that
 * destination, though `before` may allow a part of it. Where `before` also allows what is unknown, that covers nothing but itself.
 *
 * Denials of which it is not certain that they are in force count for nothing, before and after. One thing is not computed: where two
 * rules have the very same destination and port and only one asks for server names or HTTP, Cilium asks it of both; here the other one
 * counts as it is written.
 *
 * What a policy opens that would take too many steps to compare is one `unknown` grant that says so, and names the policy. The same
 * policies in another order give the same grants.
 */
export function openings(before: Egress, after: Egress): readonly Grant[] {
  const basis = basisOf(before, after);
  const holes = filterHoles(after);
  const byPolicy = [...Map.groupBy(changedGrants(before, after, basis), policyOf)]
    .map(([policy, grants]) => ({ policy, grants }))
    .sort((a, b) => a.grants.length - b.grants.length || (a.policy < b.policy ? -1 : 1));
  // The small ones first: what they leave is for the large ones.
  let left = MAX_STEPS;
  return byPolicy.flatMap(({ grants }, index) => {
    const share = Math.floor(left / (byPolicy.length - index));
    const work: Work = { left: share };
    const isGivenUp = grants.some(isTooComplex);
    const opened = isGivenUp
      ? undefined
      : attempt(work, () => grants.flatMap((one) => openedBy(one, holes, basis, work)));
    left -= share - Math.max(0, work.left);
    return opened ?? [tooComplex(grants[0]?.source)];
  });
}

function policyOf({ source }: Grant): string {
  return source === undefined ? '' : `${source.kind}/${source.namespace}/${source.name}`;
}

function isTooComplex({ peer }: Grant): boolean {
  return peer.kind === 'unknown' && peer.what === TOO_COMPLEX;
}

/** Mostly nearly all of them are as before, word for word. That is enough where filters and denials are the same as well. */
function changedGrants(before: Egress, after: Egress, { noLongerDenied }: Basis): readonly Grant[] {
  const filters = (egress: Egress) => JSON.stringify(filtersOf(egress));
  if (noLongerDenied.length > 0 || filters(before) !== filters(after)) return after.grants;
  const policies = new Set(before.grants.map(policyOf));
  const known = new Set(before.grants.map((grant) => JSON.stringify(grant)));
  return after.grants.filter(
    (grant) => isTooComplex(grant) || !policies.has(policyOf(grant)) || !known.has(JSON.stringify(grant)),
  );
}

/** What grants are compared with. */
interface Basis {
  readonly allowedBefore: readonly Box[];
  readonly deniedAfter: readonly Box[];
  readonly noLongerDenied: readonly Box[];
}

/** Where that takes too many steps, less counts as allowed before, and more as no longer denied. */
function basisOf(before: Egress, after: Egress): Basis {
  const work: Work = { left: MAX_STEPS };
  const holes = filterHoles(before);
  const allowed = before.grants.flatMap((grant) => attempt(work, () => boxesOf(grant, holes, work)) ?? []);
  const deniedAfter = mergeBoxes(after.denies.map(boxOf));
  const deniedBefore = mergeBoxes(before.denies.map(boxOf));
  return {
    allowedBefore: mergeBoxes(allowed),
    deniedAfter,
    noLongerDenied: deniedBefore.flatMap(
      (denied) => attempt(work, () => subtractBoxes(denied, deniedAfter, work)) ?? [denied],
    ),
  };
}

function openedBy(grant: Grant, holes: readonly Box[], basis: Basis, work: Work): readonly Grant[] {
  const boxes = boxesOf(grant, holes, work);
  const allowed = boxes.flatMap((box) => subtractBoxes(box, basis.deniedAfter, work));
  const opened = allowed.flatMap((box) => [
    ...subtractBoxes(box, basis.allowedBefore, work),
    ...basis.noLongerDenied.flatMap((denied) => commonBox(box, denied, work) ?? []),
  ]);
  return grantsOf(grant, opened, work);
}

/**
 * Where a grant filters DNS queries, those go through the filter, and only a rule of exactly the same port lets other names through as
 * well: cilium/cilium:pkg/policy/l4.go, where rules are merged by port and protocol.
 */
function filterHoles(egress: Egress): readonly Box[] {
  return filtersOf(egress).map((filter) => ({ ...boxOf(filter), layer7: ANY_CONDITION }));
}

function filtersOf({ isolated, grants }: Egress): readonly Grant[] {
  return isolated ? grants.filter(({ layer7 }) => layer7?.kind === 'dns') : [];
}

/** The flows of a grant, but for those that a filter takes. */
function boxesOf(grant: Grant, filtered: readonly Box[], work: Work): readonly Box[] {
  spend(work, grant.ports === 'all' ? 1 : grant.ports.length);
  const holes = grant.layer7 === undefined ? filtered : [];
  return splitPorts(grant).flatMap(({ box, exact }) => (exact ? [box] : subtractBoxes(box, holes, work)));
}

interface Part {
  readonly box: Box;
  /** Whether its ports are single ones. */
  readonly exact: boolean;
}

function splitPorts(grant: Grant): readonly Part[] {
  const { ports } = grant;
  const isExact = ports !== 'all' && ports.every(isSinglePort);
  if (ports === 'all' || isExact) return [{ box: boxOf(grant), exact: isExact }].filter(({ box }) => !isEmptyBox(box));
  return [ports.filter(isSinglePort), ports.filter((port) => !isSinglePort(port))]
    .flatMap((some, index) => ({ box: boxOf({ ...grant, ports: some }), exact: index === 0 }))
    .filter(({ box }) => !isEmptyBox(box));
}
