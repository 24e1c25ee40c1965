/**
 * One copy of equal rules, however many bundles refer to them: a bundle is a few hundred bytes to its author, and may refer to a text of a
 * mebibyte. Held weakly, for as long as some bundle is remembered with them.
 */
import type { ToolRule } from '../../api/tool-rule.ts';

/** Entries of texts that nobody refers to any more are dropped when there are so many. */
const MANY = 256;

export interface SharedRules {
  /** `sha256` is that of the text that the rules were read from. */
  share(sha256: string, rules: readonly ToolRule[]): readonly ToolRule[];
}

export function createSharedRules(): SharedRules {
  const bySha256 = new Map<string, WeakRef<readonly ToolRule[]>>();
  return {
    share(sha256, rules) {
      const known = bySha256.get(sha256)?.deref();
      if (known !== undefined) return known;
      if (bySha256.size >= MANY)
        for (const [key, held] of bySha256) if (held.deref() === undefined) bySha256.delete(key);
      bySha256.set(sha256, new WeakRef(rules));
      return rules;
    },
  };
}
