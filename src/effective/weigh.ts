/** How much there is in a policy, before it is read: every later step is bounded by it. */
import { isObject, type Json } from './json.ts';

/** A selector with more in it is only asked when its policy is read: until then, it may select any pod. */
const MAX_SELECTOR = 1000;

export function isLongSelector(selector: unknown): boolean {
  return sizeOf(selector, MAX_SELECTOR) > MAX_SELECTOR;
}

/** Characters that count as one more value. */
const TEXT = 8;
/** Values within values: what walks them calls itself, and has an end. */
const MAX_DEPTH = 64;
/** The most destinations that one entity stands for: `cluster` is pods and seven others. */
const PEERS_PER_ENTITY = 8;

/** Values in it, long texts as several. More than `limit`, or deeper than any policy, is only told to be more. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    size += level.length;
    if (size > limit || depth > MAX_DEPTH) return Math.max(size, limit + 1);
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'string') size += Math.floor(one.length / TEXT);
      const items = itemsOf(one);
      // Nothing of a list is looked at that is too long by itself.
      if (size + next.length + items.length > limit) return limit + 1;
      for (const item of items) next.push(item);
    }
    level = next;
  }
  return size;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.entries(value).flat() : [];
}

/** Its size, and that of all that its egress rules come to: each destination of a rule is paired with each port of it. */
export function weigh(policy: Json, limit: number): number {
  const size = sizeOf([policy.spec, policy.specs], limit);
  if (size > limit) return size;
  const specs = [policy.spec, ...listOf(policy.specs)].filter(isObject);
  const rules = specs.flatMap(({ egress, egressDeny }) => [...listOf(egress), ...listOf(egressDeny)]).filter(isObject);
  return rules.reduce((sum, rule) => sum + weighPairs(rule, limit), size);
}

/** Fields of which each entry is paired with each destination. The `ports` of a NetworkPolicy stay together. */
const PART_FIELDS = ['toPorts', 'icmps'];

function weighPairs(rule: Json, limit: number): number {
  const fields = Object.entries(rule).map(([field, value]) => {
    const of = PART_FIELDS.includes(field) ? 'parts' : field === 'ports' ? 'ports' : 'peers';
    return {
      of,
      count: listOf(value).length * (field === 'toEntities' ? PEERS_PER_ENTITY : 1),
      size: sizeOf(value, limit),
    };
  });
  const sum = (what: 'count' | 'size', ...groups: readonly string[]) =>
    fields.filter(({ of }) => groups.includes(of)).reduce((total, field) => total + field[what], 0);
  const parts = Math.max(1, sum('count', 'parts'));
  const peers = Math.max(1, sum('count', 'peers'));
  return parts * sum('size', 'peers') + peers * sum('size', 'parts', 'ports');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
