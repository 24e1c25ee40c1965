/** RBAC alone would have let it through: each dangerous request in two namespaces, which differ in the admission policies only. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../../scripts/lib/repository.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { ACCOUNT } from '../../support/policies.ts';
import type { ApiAnswer } from '../../support/raw-api.ts';
import type { DangerousRequest } from './dangerous.ts';
import { type EvidenceRow, evidencePage } from './evidence-page.ts';
import { DANGEROUS_REQUESTS } from './requests.ts';
import { tokenSecret } from './requests-objects.ts';
import { type AdmissionSite, admissionSite, BARE_OPERATOR, OPERATOR, removePolicies, TENANT } from './site.ts';

const GOVERNED = 'evidence';
const BARE = 'evidence-rbac';
const PAGE = path.join(REPOSITORY, 'docs', 'security', 'admission-evidence.md');

let site: AdmissionSite;
const rows: EvidenceRow[] = [];

beforeAll(async () => {
  site = await admissionSite({
    governed: [GOVERNED],
    bare: [BARE],
    values: { imagePullSecrets: ['registry'], tokenAccounts: [`${GOVERNED}/${ACCOUNT}`] },
  });
  // Whatever RBAC somebody adds later: the operator is fenced in by admission. Only here, so that the other column shows what it holds.
  await site.kubectl.apply([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'too-much', namespace: GOVERNED },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: OPERATOR.name }],
    },
    ...[GOVERNED, BARE].map(tokenSecret),
  ]);
});

function ask({ by }: DangerousRequest, request: ReturnType<DangerousRequest['request']>): Promise<ApiAnswer> {
  const operator = request.path.includes(`/${BARE}/`) ? BARE_OPERATOR : OPERATOR;
  return site.api(request, by === 'tenant' ? TENANT : operator);
}

const passed = ({ status }: ApiAnswer): boolean => status === 200 || status === 201;
const isRbac = ({ body }: ApiAnswer): boolean => / cannot [a-z]+ resource /.test(String(body.message));

describe('a dangerous request', () => {
  it.each(DANGEROUS_REQUESTS.map((item) => [item.what, item] as const))(
    '%s: refused, and its twin passes',
    async (_, item) => {
      // The API server learns of a new RoleBinding a moment later.
      const twin = await waitFor('the twin to pass', { timeoutMs: 10_000, intervalMs: 100 }, async () => {
        const answer = await ask(item, item.twin(GOVERNED));
        return passed(answer) ? { done: true, value: answer } : { done: false, saw: String(answer.body.message) };
      });
      const refusal = await ask(item, item.request(GOVERNED));
      const bare = await ask(item, item.request(BARE));
      rows.push({
        what: item.what,
        by: item.by,
        withoutAdmission: passed(bare) ? 'passes' : isRbac(bare) ? 'refused by RBAC' : `refused: ${bare.body.message}`,
        // What several policies say of one request comes in no particular order: only what was asked for is shown.
        refusal: item.refused.exec(String(refusal.body.message))?.[0] ?? '',
      });
      expect(passed(twin)).toBe(true);
      expect(passed(refusal), 'it must be refused').toBe(false);
      expect(String(refusal.body.message)).toMatch(item.refused);
    },
  );

  it('passes RBAC in most cases: admission is what stops it', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(rows.filter(({ withoutAdmission }) => withoutAdmission === 'passes').length).toBeGreaterThanOrEqual(40);
    expect(rows.filter(({ withoutAdmission }) => withoutAdmission.startsWith('refused:'))).toEqual([]);
  });

  it('is on the page for reviewers, word for word', async () => {
    const page = evidencePage(rows, GOVERNED);
    const committed = await readFile(PAGE, 'utf8').catch(() => '');
    if (committed !== page) {
      await mkdir(path.dirname(PAGE), { recursive: true });
      await writeFile(PAGE, page);
    }
    // On a machine of one's own the new page is there to be committed.
    if (process.env.CI === 'true') expect(committed).toBe(page);
  });
});

afterAll(() => removePolicies(site));
