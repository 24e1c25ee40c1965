/** `kill -9` at each write: before it is sent, after it is committed but unanswered, after the answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOOR_NAME } from '../../../src/api/meta.ts';
import { EGRESS_POLICIES, NETWORK_POLICIES } from '../../../src/controllers/resources.ts';
import { type AuditMark, auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../../support/auditLog.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import {
  type CutMatch,
  type CutPoint,
  type FaultProxy,
  type Match,
  startFaultProxy,
} from '../../support/fault-proxy.ts';
import { conditionOf, type PolicyObject } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { OPERATOR_USER } from '../support/governed-site.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies } from './site.ts';

const namespace = 'crash';
const IDENTITY = 'crash-operator';
/** Policies that are at the cut point when the process is killed, each with a worker of its own. */
const AT_ONCE = 5;
const KILLS = 4;
const isOutput = (request: { readonly path: string }) => request.path.includes('/networkpolicies');
const isStatus: Match = ({ method, path: at }) => method === 'PATCH' && at.includes('/egresspolicies/');

interface Write {
  readonly write: string;
  readonly match: CutMatch;
  /** What the policies are before, when they exist, and what brings the write about. */
  readonly from?: object;
  readonly to: object;
  readonly done: (policy: PolicyObject) => boolean;
  /** What reaches the API server for each policy, whichever way the process was killed. */
  readonly cost: Readonly<Record<string, number>>;
}

const rule = (block: string) => ({ name: 'corp', to: [{ cidr: { block } }], ports: [{ port: 443 }] });
const first = { allow: [rule('203.0.113.0/24')] };
const second = { allow: [rule('198.51.100.0/24')] };
const refusedSpec = {
  allow: [{ name: 'api', to: [{ domain: { name: 'api.example.com' } }], ports: [{ port: 443 }] }],
  dns: { access: 'ClusterResolver' },
  onRefusal: 'DenyAll',
};

const isReady = (seen: PolicyObject) => conditionOf(seen, 'Ready')?.status === 'True';
const CREATE = 'create networking.k8s.io/networkpolicies';
const APPLY = 'patch networking.k8s.io/networkpolicies';
const DELETE = 'delete networking.k8s.io/networkpolicies';
const STATUS = 'patch agentplane.dev/egresspolicies/status';

const writes: readonly Write[] = [
  {
    write: 'create of an output',
    match: { matches: (request) => request.method === 'POST' && isOutput(request), next: isStatus },
    to: first,
    done: isReady,
    cost: { [CREATE]: 1, [STATUS]: 1 },
  },
  {
    write: 'status write',
    match: { matches: isStatus },
    to: first,
    done: isReady,
    cost: { [CREATE]: 1, [STATUS]: 1 },
  },
  {
    write: 'update of an output',
    match: { matches: (request) => request.method === 'PATCH' && isOutput(request), next: isStatus },
    from: first,
    to: second,
    done: isReady,
    cost: { [APPLY]: 1, [STATUS]: 1 },
  },
  {
    write: 'delete of an output',
    match: { matches: (request) => request.method === 'DELETE' && isOutput(request), next: isStatus },
    from: first,
    to: refusedSpec,
    done: (seen) => conditionOf(seen, 'Ready')?.reason === 'UnsupportedProvider' && seen.status?.inForce === undefined,
    cost: { [DELETE]: 1, [STATUS]: 1 },
  },
];
const points: readonly CutPoint[] = ['before', 'committed', 'after'];

let site: FireSite;
let proxy: FaultProxy;
let kubeconfig: string;
let operator: Running;
let batch = 0;

beforeAll(async () => {
  site = await startFireSite([namespace]);
  proxy = await startFaultProxy(site.controlPlane);
  kubeconfig = await site.kubeconfig('crash', proxy);
  // A graceful end writes the compile cache that the later starts profit from.
  await (await start()).stop();
  operator = await start();
});

afterAll(async () => {
  await operator.kill('SIGKILL');
  await proxy.close();
});

const start = () => site.launch(kubeconfig, IDENTITY, { workers: AT_ONCE });
const all = (names: readonly string[], spec: object) =>
  applyPolicies(site, namespace, Object.fromEntries(names.map((name) => [name, spec])));

async function crash(point: CutPoint, { match, from, to, done }: Write): Promise<AuditMark> {
  batch += 1;
  const names = Array.from({ length: AT_ONCE }, (_, i) => `p-${batch}-${i}`);
  if (from !== undefined) {
    await all(names, from);
    await waitForPolicies(site, { namespace, names });
  }
  const mark = await auditMark(controlPlaneOfWorker());
  const cut = proxy.cut(point, match);
  try {
    await all(names, to);
    await cut.reached(AT_ONCE);
  } finally {
    await operator.kill('SIGKILL');
    cut.end('drop');
    operator = await start();
  }
  await waitForPolicies(site, { namespace, names }, done);
  return mark;
}

async function costSince(mark: AuditMark): Promise<Readonly<Record<string, number>>> {
  const entries = await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker()));
  const resource = ['networkpolicies', 'egresspolicies'];
  const own = auditMatching(entries, { user: OPERATOR_USER, verb: WRITES, resource });
  return auditCounts(own);
}

describe.each(writes)('a kill at the $write', (write) => {
  it.each(points)(`%s, ${KILLS * AT_ONCE} times`, async (point) => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const mark = await crash(point, write);
      const expected = Object.fromEntries(Object.entries(write.cost).map(([key, count]) => [key, count * AT_ONCE]));
      expect(await costSince(mark)).toEqual(expected);
    }
    await expectOneOutputEach();
  });
});

/** The end state is that of a process that was never killed. */
async function expectOneOutputEach(): Promise<void> {
  const { items: policies } = await site.admin.list(EGRESS_POLICIES, { namespace });
  const { items: outputs } = await site.admin.list(NETWORK_POLICIES, { namespace });
  const recorded = policies.flatMap((item) => (item as PolicyObject).status?.inForce?.outputs ?? []);
  const found = outputs.filter(({ metadata }) => metadata.name !== FLOOR_NAME);
  expect(found.map(({ metadata }) => metadata.uid).sort()).toEqual(recorded.map(({ uid }) => uid).sort());
}
