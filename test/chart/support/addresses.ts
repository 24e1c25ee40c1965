/** Addresses of IPv6 in any spelling: eight groups, of which those that are zero may be left out in different places. */
import fc from 'fast-check';
import { NEVER_OPENED } from '../../../src/compile/cidr.ts';

const GROUPS = 8;
const BITS = 16;

/** As numbers of 16 bits. */
type Groups = readonly number[];

/** Blocks that no policy may open, where a server could be: others are not even of the form of one. */
export const HIDEABLE = NEVER_OPENED.filter((block) => /^([23][0-9a-f]{3}|f[cd][0-9a-f]{2}):/.test(block));

/** Any address of the block. */
export function addressIn(block: string): fc.Arbitrary<Groups> {
  const [text = '', length = ''] = block.split('/');
  const fixed = groupsOf(text);
  const mask = fixed.map((_, i) => 0xffff ^ (0xffff >> Math.min(BITS, Math.max(0, Number(length) - BITS * i))));
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  return fc
    .array(group, { minLength: GROUPS, maxLength: GROUPS })
    .map((random) => fixed.map((each, i) => each | ((random[i] ?? 0) & ~(mask[i] ?? 0))));
}

/** The same but for its second group, where those blocks differ from what is around them. */
export function neighbourOf(groups: Groups): Groups {
  return groups.map((group, i) => (i === 1 ? group ^ 0x1000 : group));
}

/** Without zeros that begin a group. */
export function spellingOf(groups: Groups): fc.Arbitrary<string> {
  const texts = groups.map((group) => group.toString(16));
  const runs = texts.flatMap((_, from) =>
    texts
      .map((__, i) => [from, i + 1] as const)
      .filter(([, to]) => to > from && texts.slice(from, to).every((text) => text === '0')),
  );
  return fc
    .constantFrom(undefined, ...runs)
    .map((run) =>
      run === undefined ? texts.join(':') : `${texts.slice(0, run[0]).join(':')}::${texts.slice(run[1]).join(':')}`,
    );
}

/** `text` has one `::` at most. */
function groupsOf(text: string): Groups {
  const [before = [], after = []] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
