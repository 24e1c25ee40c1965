/** The loop: when it probes, what it writes, and what it leaves alone. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../api/capability.ts';
import { CapabilityReport, type CapabilityReportStatus } from '../api/capability-report.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import { createProbe, type ProbeSettings, probeOnce } from './probe.ts';
import { type FakeLab, fakeLab, runSettings } from './testing-lab.ts';

const settings: ProbeSettings = {
  ...runSettings,
  report: { namespace: 'agentplane', name: 'cluster' },
  reportMaxAgeMs: 300_000,
  intervalMs: 600_000,
  expiryMs: 1_800_000,
  compiler: '1.0.0',
};

let lab: FakeLab;
let outcomes: string[];
let failed: number[];

beforeEach(() => {
  lab = fakeLab();
  outcomes = [];
  failed = [];
  inventory();
});

/** As the inventory writes it, every field of its own and no other. */
function inventory(changed: Partial<CapabilityReportStatus> = {}): void {
  const status = {
    ...((lab.report.current?.status ?? {}) as object),
    observedAt: lab.clock.now().toISOString().replace('.000Z', 'Z'),
    capabilityHash: 'sha256:a',
    provider: { name: 'cilium', version: '1.20.2', agents: { desired: 2, ready: 2 } },
    capabilities: CAPABILITIES.map((name) =>
      /tlsServerName|ipv6Only/.test(name) ? { name, state: 'Unsupported', reason: 'No' } : { name, state: 'Supported' },
    ),
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    ...changed,
  };
  lab.report.current = {
    apiVersion: CapabilityReport.apiVersion,
    kind: CapabilityReport.kind,
    metadata: { name: 'cluster' },
    status,
  };
}

function start() {
  const ended = new AbortController();
  const { client, clock } = lab;
  const probe = createProbe(settings, {
    client,
    clock,
    logger: createRecordingLogger(),
    onRun: (outcome) => outcomes.push(outcome),
    onResults: (results) => failed.push(results.filter(({ result }) => result === 'Failed').length),
  });
  const running = probe.run(ended.signal);
  return {
    probe,
    stop: async () => {
      ended.abort();
      await lab.settle(running);
    },
  };
}

/** The inventory goes on meanwhile. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 60_000) {
    await lab.clock.advance(Math.min(60_000, ms - passed));
    inventory();
  }
}

const written = () => lab.applied.map(({ status }) => status as CapabilityReportStatus);

describe('the loop', () => {
  it('publishes its own fields, which fit the schema, and is ready then', async () => {
    const { probe, stop } = start();
    expect(probe.isReady()).toBe(false);
    await pass(60_000);
    expect(probe.isReady()).toBe(true);
    expect(outcomes).toEqual(['Verified']);
    const [status] = written();
    expect(Object.keys(status ?? {})).toEqual(['probed', 'enforcement']);
    expect(status?.probed).toEqual({
      provider: 'cilium',
      version: '1.20.2',
      capabilityHash: 'sha256:a',
      compiler: '1.0.0',
    });
    expect(status?.enforcement?.map(({ capability }) => capability)).toEqual(CAPABILITIES);
    const cidr = status?.enforcement?.find(({ capability }) => capability === 'cidr');
    expect(cidr).toMatchObject({ result: 'Verified', nodes: { covered: 1, total: 2 } });
    expect(Date.parse(cidr?.expiresAt ?? '') - Date.parse(cidr?.at ?? '')).toBe(1_800_000);
    expect(CapabilityReport.status.safeParse(lab.report.current?.status).error).toBeUndefined();
    await stop();
  });

  it('probes once in an interval, also after a restart', async () => {
    const first = start();
    await pass(300_000);
    await first.stop();
    const second = start();
    await pass(240_000);
    expect(outcomes).toEqual(['Verified']);
    expect(second.probe.isReady()).toBe(true);
    await pass(180_000);
    expect(outcomes).toEqual(['Verified', 'Verified']);
    await second.stop();
  });

  it('probes at once when the cluster has become another', async () => {
    const { stop } = start();
    await pass(120_000);
    inventory({ capabilityHash: 'sha256:b' });
    await lab.clock.advance(30_000);
    expect(written().map(({ probed }) => probed?.capabilityHash)).toEqual(['sha256:a', 'sha256:b']);
    await stop();
  });

  it('tries a failure again sooner, and says each time what came', async () => {
    lab.staged.enforces = false;
    const { stop } = start();
    await pass(360_000);
    expect(outcomes).toEqual(['Failed', 'Failed', 'Failed']);
    lab.staged.enforces = true;
    await pass(300_000);
    expect(outcomes.at(-1)).toBe('Verified');
    await stop();
  });

  it('goes on to say that something has failed, also between two runs and after a restart, until a run says otherwise', async () => {
    lab.staged.enforces = false;
    const first = start();
    await pass(120_000);
    await first.stop();
    const runs = outcomes.length;
    failed = [];
    const second = start();
    await lab.clock.advance(40_000);
    expect(outcomes).toHaveLength(runs);
    expect(failed.length).toBeGreaterThan(2);
    expect(Math.min(...failed)).toBeGreaterThan(0);
    lab.staged.enforces = true;
    await pass(600_000);
    expect(outcomes.at(-1)).toBe('Verified');
    expect(failed.at(-1)).toBe(0);
    await second.stop();
  });

  it('waits for a report that can be compiled by', async () => {
    lab.report.current = undefined as never;
    const { probe, stop } = start();
    await lab.clock.advance(120_000);
    expect(lab.calls).toEqual([]);
    inventory({ observedAt: '2029-12-31T00:00:00Z' });
    await lab.clock.advance(120_000);
    expect(lab.calls).toEqual([]);
    inventory();
    await lab.clock.advance(60_000);
    expect(probe.isReady()).toBe(true);
    await stop();
  });

  it('goes on after what it may not do', async () => {
    lab.staged.refuse = () => 'Forbidden';
    const { probe, stop } = start();
    await pass(60_000);
    expect(probe.isReady()).toBe(false);
    delete lab.staged.refuse;
    await pass(60_000);
    expect(probe.isReady()).toBe(true);
    await stop();
  });
});

describe('one run', () => {
  const once = (publish: boolean) => {
    const { client, clock } = lab;
    const parts = { client, clock, logger: createRecordingLogger(), signal: new AbortController().signal };
    return lab.settle(probeOnce(settings, parts, { publish }));
  };

  it('writes nothing unless it is told to', async () => {
    expect((await once(false)).capabilities).toContainEqual(
      expect.objectContaining({ capability: 'cidr', result: 'Verified' }),
    );
    expect(written()).toEqual([]);
    await once(true);
    expect(written()).toHaveLength(1);
  });

  it('is about nothing when the cluster changes meanwhile', async () => {
    lab.staged.refuse = () => {
      inventory({ capabilityHash: 'sha256:b' });
      return undefined;
    };
    await expect(once(true)).rejects.toThrow('the capability report has changed while it was probed');
    expect(written()).toEqual([]);
  });

  it('without a report tries the floor all the same, and cannot publish', async () => {
    lab.report.current = undefined as never;
    const { capabilities } = await once(false);
    expect(capabilities.find(({ capability }) => capability === 'isolation')).toMatchObject({
      result: 'Inconclusive',
      reason: 'InventoryMissing',
    });
    lab.staged.enforces = false;
    const open = await once(false);
    expect(open.capabilities.find(({ capability }) => capability === 'isolation')).toMatchObject({ result: 'Failed' });
    await expect(once(true)).rejects.toThrow('there is no CapabilityReport cluster');
  });
});
