import fc from 'fast-check';
import { it } from 'vitest';
import { demandAll, settings } from '../../../test/support/output-demands.ts';
import { seeded } from '../../../test/support/seed.ts';

const TIMEOUT_MS = 300_000;

it('10,000 policies for cilium allow exactly what they ask for, have no loose end, and are the same bytes in any order', {
  timeout: TIMEOUT_MS,
}, () => {
  fc.assert(fc.property(settings('cilium'), demandAll), seeded(10_000));
});
