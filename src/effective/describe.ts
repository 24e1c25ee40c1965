import type { Grant } from './types.ts';

/** The grant in words: `203.0.113.0/24 on TCP 443`. */
export function describeGrant(_grant: Grant): string {
  throw new Error('not built yet');
}
