/** What applying manifests would change in the effective egress of governed pods. Pure. */
import { openings } from '../effective/compare.ts';
import { describeGrant } from '../effective/describe.ts';
import type { Grant } from '../effective/types.ts';
import { type Site, subjectOf } from '../explain/judge.ts';
import type { KubeObject } from '../kube/types.ts';
import { type Account, egressOf, type Live } from './live.ts';
import { type Applied, type Plan, type PlannedObject, plan } from './plan.ts';

export interface AccountChange extends Account {
  /** In words: what the pods could reach that they cannot now. */
  readonly opens: readonly string[];
  /** In words: what they could no longer reach. */
  readonly closes: readonly string[];
}

export interface Difference {
  readonly namespace: string;
  readonly profiles: readonly PlannedObject[];
  readonly policies: readonly PlannedObject[];
  /** Every account that a policy in question governs, also where nothing would change for it. */
  readonly accounts: readonly AccountChange[];
}

/** `site` is that of the live objects. */
export function differenceOf(applied: Applied, live: Live, site: Site): Difference {
  const planned = plan(applied, live, site);
  const accounts = accountsOf(planned, live).map((account): AccountChange => {
    const before = egressOf(account, live.outputs, site.facts);
    const after = egressOf(account, planned.outputsAfter, site.facts);
    return { ...account, opens: inWords(openings(before, after)), closes: inWords(openings(after, before)) };
  });
  return { namespace: live.namespace, profiles: planned.profiles, policies: planned.policies, accounts };
}

/** Whether there is anything to tell somebody who is about to apply it. */
export function isDifferent({ profiles, policies, accounts }: Difference): boolean {
  const refused = [...profiles, ...policies].some(({ refusals }) => refusals.length > 0);
  return refused || accounts.some(({ opens, closes }) => opens.length + closes.length > 0);
}

/** The accounts that the policies govern now, and those that they would govern. */
function accountsOf({ policies, profilesAfter }: Plan, live: Live): readonly Account[] {
  const touched = new Set(policies.map(({ object }) => object.metadata.name));
  const before = live.policies.filter(({ metadata }) => touched.has(metadata.name));
  const found = [
    ...before.flatMap((policy) => accountOf(policy, live.profiles, live.namespace)),
    ...policies.flatMap(({ object }) => accountOf(object, profilesAfter, live.namespace)),
  ];
  return [...new Map(found.map((account) => [account.serviceAccountName, account])).values()];
}

function accountOf(policy: KubeObject, profiles: readonly KubeObject[], namespace: string): readonly Account[] {
  const subject = subjectOf(policy, { namespace, profiles });
  return subject.ok ? [{ namespace, ...subject.value }] : [];
}

/** A line for each: what is told in one breath would be cut. Each once, for two grants may read the same. */
function inWords(grants: readonly Grant[]): readonly string[] {
  return [...new Set(grants.flatMap(pieces).map(describeGrant))].sort();
}

/** Ports that fit into one line. */
const PORTS_TOLD = 4;

function pieces(grant: Grant): readonly Grant[] {
  const { peer, ports } = grant;
  const peers = peer.kind === 'names' ? peer.names.map((name) => ({ ...peer, names: [name] })) : [peer];
  const lists = ports === 'all' ? [ports] : chunks(ports, PORTS_TOLD);
  return peers.flatMap((one) => lists.map((some) => ({ ...grant, peer: one, ports: some })));
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
