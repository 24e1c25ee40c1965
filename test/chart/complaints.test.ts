/**
 * What people say against the charts of others, and the test that shows it is not so here. The list is a map: it points at tests, and fails
 * when one is renamed or removed. A complaint that cannot apply says why.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { ABOUT_LIFE } from './support/complaints/life.ts';
import { ABOUT_RIGHTS } from './support/complaints/rights.ts';

const COMPLAINTS = [...ABOUT_RIGHTS, ...ABOUT_LIFE];

describe('a complaint about the charts of others', () => {
  it.each(COMPLAINTS.map((complaint) => [complaint.about, complaint] as const))(
    '%s: is tested',
    async (_, { proof }) => {
      for (const [file, title] of proof) {
        const text = await readFile(path.join(REPOSITORY, 'test', `${file}.test.ts`), 'utf8');
        const quoted = ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
        expect(quoted, `test/${file}.test.ts has no test "${title}"`).toBe(true);
      }
    },
  );
});
