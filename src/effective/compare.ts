import { type Box, boxOf, intersectBoxes, isEmptyBox, subtractBoxes } from './box.ts';
import { ANY_CONDITION } from './condition.ts';
import { grantsOf } from './grants-of.ts';
import { mergeBoxes } from './merge-boxes.ts';
import { isSinglePort } from './ports.ts';
import type { Egress, Grant } from './types.ts';

/**
 * What `after` allows that `before` does not, each with the policy that opens it. Never misses one: exact for addresses, ports and labels,
 * and a pattern of names that is not covered by one pattern counts as opened. A grant of every destination is given back with that
 * destination, though `before` may allow a part of it. Where `before` also allows what is unknown, that covers nothing but itself.
 *
 * Denials of which it is not certain that they are in force count for nothing, before and after. One thing is not computed: where two
 * rules have the very same destination and port and only one asks for server names or HTTP, Cilium asks it of both; here the other one
 * counts as it is written.
 */
export function openings(before: Egress, after: Egress): readonly Grant[] {
  const allowedBefore = mergeBoxes(allowedBoxes(before).flatMap(({ boxes }) => boxes));
  const deniedAfter = mergeBoxes(after.denies.map(boxOf));
  const noLongerDenied = mergeBoxes(before.denies.map(boxOf)).flatMap((denied) => subtractBoxes(denied, deniedAfter));
  return allowedBoxes(after).flatMap(({ grant, boxes }) => {
    const allowed = boxes.flatMap((box) => subtractBoxes(box, deniedAfter));
    const opened = allowed.flatMap((box) => [
      ...subtractBoxes(box, allowedBefore),
      ...noLongerDenied.map((denied) => intersectBoxes(box, denied)).filter((common) => !isEmptyBox(common)),
    ]);
    return grantsOf(grant, opened);
  });
}

interface Allowed {
  readonly grant: Grant;
  readonly boxes: readonly Box[];
}

/**
 * The flows of each grant. Where another one filters DNS queries, those go through the filter, and only a rule of exactly the same port
 * lets other names through as well: cilium/cilium:pkg/policy/l4.go, where rules are merged by port and protocol.
 */
function allowedBoxes({ isolated, grants }: Egress): readonly Allowed[] {
  const filters = isolated ? grants.filter(({ layer7 }) => layer7?.kind === 'dns') : [];
  const filtered = filters.map((filter) => ({ ...boxOf(filter), layer7: ANY_CONDITION }));
  return grants.map((grant) => {
    const holes = grant.layer7 === undefined ? filtered : [];
    return { grant, boxes: splitPorts(grant).flatMap(({ box, exact }) => (exact ? [box] : subtractBoxes(box, holes))) };
  });
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
