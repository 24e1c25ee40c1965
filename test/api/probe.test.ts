/** What packets have shown, from the probe's report to the policies that ask for it. Packets themselves: test/cluster/probe.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants } from '../../rbac/rules.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import type { CapabilityReportStatus } from '../../src/api/capability-report.ts';
import { CAPABILITY_REPORTS } from '../../src/controllers/resources.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';
import { type AuditMark, auditBetween, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import {
  cidrRule,
  conditionOf,
  domainRule,
  type PolicyObject,
  resolver,
  summary,
  waitForPolicy,
} from '../support/policies.ts';
import { stageCilium } from '../support/staged-cilium.ts';
import { type GovernedSite, OPERATOR_USER, startGovernedSite } from './support/governed-site.ts';
import { INSTALL_NAMESPACE } from './support/installation.ts';
import { CANARIES, PROBE_USER, type Probing, stageProbe } from './support/probing.ts';

const namespace = 'probing';
const probed = { require: { verification: 'Probed' } };
let site: GovernedSite;
let probe: Probing;
let start: AuditMark;

beforeAll(async () => {
  site = await startGovernedSite(namespace);
  probe = await stageProbe(site);
  start = await auditMark(controlPlaneOfWorker());
  await site.applyPolicy('addresses', { ...probed, allow: [cidrRule] });
  await site.applyPolicy('names', { ...probed, dns: resolver, allow: [domainRule] });
  await site.applyPolicy('declared', { allow: [cidrRule] });
});

afterAll(async () => {
  await probe.stop();
  await stageCilium(site.kubectl);
  await site.stop();
  // The other files share the report: what was proven here is not proven there.
  await site.kubectl.run('delete', 'capabilityreport', '-n', INSTALL_NAMESPACE, '--all', '--wait');
});

/** Waits until `Enforced` carries the reason. */
function enforced(name: string, reason: string): Promise<PolicyObject> {
  const holds = (seen: PolicyObject) => conditionOf(seen, 'Enforced')?.reason === reason;
  return waitForPolicy(site.kubectl, { namespace, name }, holds, 30_000);
}

async function report(): Promise<KubeObject & { readonly status: CapabilityReportStatus }> {
  const object = await site.admin.get(CAPABILITY_REPORTS, { namespace: INSTALL_NAMESPACE, name: 'cluster' });
  return object as KubeObject & { readonly status: CapabilityReportStatus };
}

const resultsOf = ({ enforcement = [] }: CapabilityReportStatus) =>
  Object.fromEntries(enforcement.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]));

describe('before the first probe', () => {
  it('a policy that asks for proof is not Ready, and one that does not is', async () => {
    expect(summary(await enforced('addresses', 'NotProbed'))).toMatchObject({
      Applied: 'True/Applied',
      Enforced: 'Unknown/NotProbed',
      Ready: 'Unknown/NotProbed',
    });
    expect(summary(await site.ready('declared'))).toMatchObject({ Enforced: 'Unknown/NotProbed', Ready: 'True/Ready' });
  });
});

describe('the loop', () => {
  it('publishes by a field manager of its own, beside what the inventory says, and policies follow', async () => {
    const running = await probe.start();
    expect(summary(await enforced('addresses', 'Probed'))).toMatchObject({
      Enforced: 'True/Probed',
      Ready: 'True/Ready',
    });
    expect(summary(await enforced('names', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
    await running.stop();
    const { status, metadata } = await report();
    expect(resultsOf(status)).toMatchObject({
      isolation: 'Verified/Proven',
      cidr: 'Verified/Proven',
      'domain.exact': 'Verified/Proven',
      'domain.oneLabel': 'Inconclusive/NoTarget',
      'domain.tlsServerName': 'Unsupported/NotImplemented',
    });
    expect(status.probed).toMatchObject({ provider: 'cilium', version: '1.20.2', compiler: PRODUCT_VERSION });
    const fields = Object.fromEntries(
      (metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [
        manager,
        Object.keys((fieldsV1?.['f:status'] ?? {}) as object),
      ]),
    );
    expect(fields['agentplane-probe']?.sort()).toEqual(['f:enforcement', 'f:probed']);
    expect(fields['agentplane-inventory']).toContain('f:capabilities');
    expect(fields['agentplane-inventory']).not.toContain('f:enforcement');
  });

  it('leaves no pod and no policy behind', async () => {
    await waitFor('the canaries to be gone', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
      const left = await site.kubectl.run('get', 'pod,networkpolicy,ciliumnetworkpolicy', '-n', CANARIES, '-o', 'name');
      return left.trim() === '' ? { done: true, value: undefined } : { done: false, saw: left };
    });
  });
});

describe('one run', () => {
  it('prints what was tried, and costs the operator nothing when it shows the same again', async () => {
    const before = (await report()).status.enforcement?.[0]?.at;
    const mark = await auditMark(controlPlaneOfWorker());
    const { code, stdout } = await probe.once(['--publish']);
    // A suffix was not given, so that not everything is decided.
    expect(code).toBe(3);
    expect(stdout).toMatch(/^cidr +203\.0\.113\.20:443 +none +no answer +Pass$/m);
    expect((await report()).status.enforcement?.[0]?.at).not.toBe(before);
    await enforced('addresses', 'Probed');
    const entries = await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker()));
    const written = auditMatching(entries, { user: OPERATOR_USER, verb: WRITES });
    expect(written.filter(({ objectRef }) => objectRef?.resource !== 'leases')).toEqual([]);
  });

  it('without --publish says nothing to the cluster', async () => {
    const before = (await report()).metadata.resourceVersion;
    probe.network.enforces = false;
    const { code, stdout } = await probe.once(['-o', 'json']);
    delete probe.network.enforces;
    expect(code).toBe(2);
    const { capabilities } = JSON.parse(stdout) as { capabilities: object[] };
    expect(capabilities).toContainEqual(expect.objectContaining({ capability: 'isolation', result: 'Failed' }));
    // The inventory may have beaten meanwhile; the results are as they were.
    expect((await report()).status.enforcement?.[0]?.result, before).toBe('Verified');
  });
});

describe('what comes of it', () => {
  it('a leak takes Ready away from whoever asked for proof, and says so to the others', async () => {
    probe.network.enforces = false;
    expect((await probe.once(['--publish'])).code).toBe(2);
    delete probe.network.enforces;
    const seen = await enforced('addresses', 'ProbeFailed');
    expect(summary(seen)).toMatchObject({
      Applied: 'True/Applied',
      Enforced: 'False/ProbeFailed',
      Ready: 'False/ProbeFailed',
    });
    expect(conditionOf(seen, 'Enforced')?.message).toContain('isolation (DenyLeaked: ');
    expect(summary(await enforced('declared', 'ProbeFailed'))).toMatchObject({ Ready: 'True/Ready' });
  });

  it('a target that is down leaves it open, for what rests on it', async () => {
    probe.network.down = /203\.0\.113\.10/;
    expect((await probe.once(['--publish'])).code).toBe(3);
    delete probe.network.down;
    const seen = await enforced('addresses', 'ProbeInconclusive');
    expect(summary(seen)).toMatchObject({ Enforced: 'Unknown/ProbeInconclusive', Ready: 'Unknown/ProbeInconclusive' });
    expect(conditionOf(seen, 'Enforced')?.message).toContain('cidr (ControlBlocked: 203.0.113.10:443');
    expect(summary(await enforced('names', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
  });

  it('another version of the provider makes it say nothing', async () => {
    await probe.once(['--publish']);
    await enforced('addresses', 'Probed');
    await stageCilium(site.kubectl, { version: '1.20.3' });
    const seen = await enforced('addresses', 'NotProbed');
    expect(conditionOf(seen, 'Enforced')?.message).toContain('another version of the provider');
    await stageCilium(site.kubectl);
    // About this very cluster it still holds.
    expect(summary(await enforced('addresses', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
  });

  it('an end that passes is noticed without a word from anybody', async () => {
    await probe.once(['--publish', '--expiry-seconds', '10']);
    await enforced('addresses', 'Probed');
    const seen = await enforced('addresses', 'ProbeExpired');
    expect(summary(seen)).toMatchObject({ Enforced: 'Unknown/ProbeExpired', Ready: 'Unknown/ProbeExpired' });
    await probe.once(['--publish']);
    expect(summary(await enforced('addresses', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
  });
});

describe('the authority of the probe', () => {
  it('was used in full, and nothing was refused', async () => {
    const entries = await auditBetween(controlPlaneOfWorker(), start, await auditMark(controlPlaneOfWorker()));
    const own = auditMatching(entries, { user: PROBE_USER });
    const used = new Set(
      own.flatMap(({ verb, objectRef }) => {
        if (objectRef?.resource === undefined) return [];
        const { apiGroup = '', resource, subresource, namespace: where = '' } = objectRef;
        return [`${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`} in ${where}`];
      }),
    );
    const granted = grants
      .filter(({ identity }) => identity === 'agentplane-probe')
      .flatMap(({ namespace: where, rules }) =>
        rules.flatMap(({ verbs, apiGroup, resource }) =>
          verbs.map((verb) => `${verb} ${apiGroup}/${resource} in ${where === 'probe' ? CANARIES : INSTALL_NAMESPACE}`),
        ),
      );
    expect([...used].sort()).toEqual(granted.sort());
    expect(own.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  });
});
