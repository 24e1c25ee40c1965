import { beforeEach, describe, expect, it } from 'vitest';
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import type { ApiField } from '../compile/providers/row.ts';
import { OBSERVED_CONFIG_MAPS, OBSERVED_DAEMON_SETS } from '../compile/providers.ts';
import { KubeError } from '../kube/errors.ts';
import { createFakeClock, type FakeClock } from '../kube/testing/fake-clock.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import type { KubeObject } from '../kube/types.ts';
import { createInventory, HEARTBEAT_MS } from './inventory.ts';

const INTERVAL_MS = 5000;
const attempt = { verb: 'get', resource: 'test' } as const;
let clock: FakeClock;
let written: CapabilityReportStatus[];
let looks: string[];
/** The objects of the cluster by name, and what cannot be read or written now. */
let cluster: Map<string, KubeObject>;
let broken: 'Forbidden' | 'Timeout' | undefined;
let runtimeClasses: readonly string[];

const kubeRouter: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-router', generation: 1 },
  status: { desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 2, observedGeneration: 1 },
};

beforeEach(async () => {
  clock = createFakeClock();
  written = [];
  looks = [];
  cluster = new Map([['kube-router', kubeRouter]]);
  broken = undefined;
  runtimeClasses = [];
});

function start(): () => Promise<void> {
  const fail = (reason: 'Forbidden' | 'Timeout' | 'NotFound') => new KubeError(reason, attempt, 'staged');
  const client = {
    get: async (_: unknown, { name }: { readonly name: string }) => {
      looks.push(name);
      if (broken !== undefined) throw fail(broken);
      const found = cluster.get(name);
      if (found === undefined) throw fail('NotFound');
      return found;
    },
    getMetadata: async (_: unknown, { name }: { readonly name: string }) => {
      if (name === 'hidden') throw fail('Forbidden');
      if (broken !== undefined) throw fail(broken);
      const found = cluster.get(name);
      if (found === undefined) throw fail('NotFound');
      return found.metadata;
    },
    getJson: async () => ({ major: '1', minor: '36+' }),
    apply: async (_: unknown, object: KubeObject) => {
      written.push(object.status as CapabilityReportStatus);
      return object;
    },
    create: async (_: unknown, object: KubeObject) => object,
  };
  const settings = {
    namespace: 'agentplane',
    report: 'cluster',
    systemNamespace: 'kube-system',
    intervalMs: INTERVAL_MS,
    pin: 'auto',
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    apiServerAddresses: [],
    apiServerPort: 6443,
    runtimeClasses,
  } as const;
  const schemas = {
    served: async (fields: readonly ApiField[]) => fields.filter(({ group }) => group === 'networking.k8s.io'),
  };
  const ended = new AbortController();
  const running = createInventory(settings, { client, schemas, clock, logger: createRecordingLogger() }).run(
    ended.signal,
  );
  return async () => {
    ended.abort();
    await running;
  };
}

describe('the inventory', () => {
  it('looks for named objects only, and writes once', async () => {
    const stop = start();
    await clock.advance(0);
    expect(looks.sort()).toEqual([...OBSERVED_DAEMON_SETS, ...OBSERVED_CONFIG_MAPS].sort());
    expect(written.map((status) => status.provider?.name)).toEqual(['k8s-networkpolicy']);
    await stop();
  });

  it('writes what changed at its next look, and nothing else until the heartbeat is due', async () => {
    const stop = start();
    await clock.advance(HEARTBEAT_MS - INTERVAL_MS);
    expect(written).toHaveLength(1);
    cluster.set('kube-router', { ...kubeRouter, status: { ...Object(kubeRouter.status), numberReady: 1 } });
    await clock.advance(INTERVAL_MS);
    expect(written.map((status) => status.capabilities?.[0]?.state)).toEqual(['Supported', 'Unknown']);
    await clock.advance(HEARTBEAT_MS - INTERVAL_MS);
    expect(written).toHaveLength(2);
    await clock.advance(INTERVAL_MS);
    expect(written).toHaveLength(3);
    expect(written[2]).toEqual({ ...written[1], observedAt: written[2]?.observedAt });
    await stop();
  });

  it('says of each RuntimeClass that is listed whether it exists, or cannot be told', async () => {
    runtimeClasses = ['kata', 'hidden', 'gvisor', 'kata'];
    cluster.set('gvisor', { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' } });
    const stop = start();
    await clock.advance(0);
    const [hidden, kata] = [
      { name: 'hidden', state: 'NotReadable' },
      { name: 'kata', state: 'Missing' },
    ];
    expect(written[0]?.runtimeClasses).toEqual([{ name: 'gvisor', state: 'Present' }, hidden, kata]);
    cluster.delete('gvisor');
    await clock.advance(INTERVAL_MS);
    expect(written[1]?.runtimeClasses).toEqual([{ name: 'gvisor', state: 'Missing' }, hidden, kata]);
    expect(written[1]?.capabilityHash).toBe(written[0]?.capabilityHash);
    await stop();
  });

  it('says nothing of RuntimeClasses when none is listed', async () => {
    const stop = start();
    await clock.advance(0);
    expect(written[0]).not.toHaveProperty('runtimeClasses');
    await stop();
  });

  it('tells what may not be read from what is not there', async () => {
    broken = 'Forbidden';
    const stop = start();
    await clock.advance(0);
    expect(written[0]?.provider).toMatchObject({ name: 'none', detail: expect.stringMatching(/may not be read/) });
    await stop();
  });

  it('says nothing while it cannot look, so that its report grows stale, and goes on', async () => {
    broken = 'Timeout';
    const stop = start();
    await clock.advance(2 * HEARTBEAT_MS);
    expect(written).toEqual([]);
    broken = undefined;
    await clock.advance(INTERVAL_MS);
    expect(written).toHaveLength(1);
    await stop();
  });
});
