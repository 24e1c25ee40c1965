/** How much there is in a policy, before it is read: every later step is bounded by it. */
import { isAbsent, isObject, type Json } from './json.ts';

/** A selector with more in it is only asked when its policy is read: until then, it may select any pod. */
const MAX_SELECTOR = 1000;

export function isLongSelector(selector: unknown): boolean {
  return sizeOf(selector, MAX_SELECTOR) > MAX_SELECTOR;
}

/** Characters that count as one more value. */
const TEXT = 16;
/** The most peers that one entry can stand for: `cluster` is pods and seven entities. */
const PEERS_PER_ENTRY = 8;

/** Values in it at any depth, long texts as several. More than `limit` is only told to be more. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && size <= limit) {
    const next = rest.pop();
    size += 1;
    if (typeof next === 'string') size += Math.floor(next.length / TEXT);
    else if (Array.isArray(next)) size += pushed(rest, next, limit - size);
    else if (isObject(next)) size += pushed(rest, entriesOf(next), limit - size);
  }
  return size;
}

/** Nothing of a list is looked at that is too long by itself. */
function pushed(rest: unknown[], items: readonly unknown[], limit: number): number {
  if (items.length > limit) return items.length;
  for (const item of items) rest.push(item);
  return 0;
}

function entriesOf(value: Json): readonly unknown[] {
  return Object.entries(value).flat();
}

/** Its size, and what its egress rules multiply to: each destination of a rule is paired with each port of it. */
export function weigh(policy: Json, limit: number): number {
  const size = sizeOf(policy, limit);
  if (size > limit) return size;
  const specs = [policy.spec, ...listOf(policy.specs)].filter(isObject);
  const rules = specs.flatMap(({ egress, egressDeny }) => [...listOf(egress), ...listOf(egressDeny)]).filter(isObject);
  return rules.reduce((sum, rule) => sum + weighRule(rule, limit), size);
}

const PORT_FIELDS = ['ports', 'toPorts', 'icmps'];

function weighRule(rule: Json, limit: number): number {
  let peers = 1;
  let ports = 1;
  for (const [field, value] of Object.entries(rule)) {
    if (isAbsent(value)) continue;
    const size = sizeOf(value, limit);
    if (PORT_FIELDS.includes(field)) ports += size;
    else if (field === 'toEntities') peers += PEERS_PER_ENTRY * listOf(value).length;
    // A peer that is told by its text is as heavy as that, whatever the list is long.
    else peers += Math.max(listOf(value).length, Math.ceil(size / PEERS_PER_ENTRY));
  }
  return peers * ports;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
