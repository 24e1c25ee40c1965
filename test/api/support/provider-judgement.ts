/** What the inventory and policies say about a staged situation, and waiting until they do. */
import { expect } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../../src/api/active.ts';
import { CapabilityReport, type CapabilityReportStatus } from '../../../src/api/capability-report.ts';
import { CAPABILITY_REPORTS, EGRESS_POLICIES } from '../../../src/controllers/resources.ts';
import type { Client } from '../../../src/kube/client.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { cidrRule, conditionOf, domainRule, type PolicyObject, resolver, summary } from '../../support/policies.ts';
import { INSTALL_NAMESPACE } from './installation.ts';
import type { Situation } from './situation.ts';

const PATIENCE = { timeoutMs: 10_000, intervalMs: 25 };

/** One policy for each of the capabilities that a situation tells of. Where it is refused, nothing that is in force may go. */
export const JUDGED_POLICIES = {
  addresses: { rule: 'corp', needs: 'cidr', spec: { allow: [cidrRule] } },
  domains: {
    rule: 'model-api',
    needs: 'domain.exact',
    spec: { dns: resolver, allow: [domainRule], onRefusal: 'DenyAll' },
  },
} as const;

export async function readReport(client: Client): Promise<CapabilityReportStatus> {
  const object = await client.get(CAPABILITY_REPORTS, { namespace: INSTALL_NAMESPACE, name: 'cluster' });
  return CapabilityReport.status.parse(object.status);
}

/** In what the report is not as the situation has it; empty when it is. */
export function difference({ provider, cidr, domain = cidr, says }: Situation, seen: CapabilityReportStatus): string {
  const stateOf = (capability: string) => {
    const found = seen.capabilities?.find(({ name }) => name === capability);
    return `${found?.state}/${found?.reason}`;
  };
  const found = [seen.provider?.name, stateOf('cidr'), stateOf('domain.exact')].join(' ');
  const wanted = [provider, cidr, domain].join(' ');
  if (found !== wanted) return `${found}, not ${wanted}`;
  const detail = seen.provider?.detail ?? '';
  const isSaid = typeof says === 'string' ? detail.includes(says) : says.test(detail);
  return isSaid ? '' : detail;
}

export async function waitForReport(client: Client, situation: Situation): Promise<void> {
  await waitFor(`the report: ${situation.name}`, PATIENCE, async () => {
    const saw = difference(situation, await readReport(client));
    return saw === '' ? { done: true, value: undefined } : { done: false, saw };
  });
}

/** Waits until both policies are judged by the situation: Ready, or refused by rule and capability and still in force. */
export async function waitForJudgement(client: Client, namespace: string, situation: Situation): Promise<void> {
  const { provider, cidr, domain = cidr } = situation;
  const judged = async (name: keyof typeof JUDGED_POLICIES, capability: string) =>
    waitFor(`the policy ${name}: ${situation.name}`, PATIENCE, async () => {
      const seen = (await client.get(EGRESS_POLICIES, { namespace, name })) as PolicyObject;
      const isSo = seen.status?.provider?.name === provider && isJudged(seen, JUDGED_POLICIES[name], capability);
      return isSo ? { done: true, value: undefined } : { done: false, saw: JSON.stringify(seen.status) };
    });
  await Promise.all([judged('addresses', cidr), judged('domains', domain)]);
}

function isJudged(
  seen: PolicyObject,
  { rule, needs }: { readonly rule: string; readonly needs: string },
  capability: string,
): boolean {
  const [state, reason] = capability.split('/');
  if (state === 'Supported') return isActive(seen as Observable);
  const [refusal, told] =
    seen.status?.provider?.name === 'ambiguous'
      ? ['AmbiguousProvider', /pin one|remove one/]
      : ['UnsupportedProvider', new RegExp(`rule ${rule} \\(item 0\\) needs ${needs} \\(${reason}\\)`)];
  const isTold = told.test(conditionOf(seen, 'Supported')?.message ?? '');
  return isTold && summary(seen).Ready === `False/${refusal}` && isKept(seen);
}

/** The spec never changed: what is in force stays, also where the author asked for DenyAll, and is said to be without a provider. */
function isKept(seen: PolicyObject): boolean {
  return summary(seen).Degraded === 'True/ProviderLost' && seen.status?.inForce?.generation === 1;
}

/** The specs of all objects that open or shut anything, for comparison. */
export function specsOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ spec }) => JSON.stringify(spec));
}

export function expectOtherThan(situation: Situation, seen: CapabilityReportStatus): void {
  expect(difference(situation, seen), 'what was staged before must look different').not.toBe('');
}
