/** What applying manifests to one namespace would do to its objects, step by step as API server and operator would. Pure. */
import { EgressPolicy } from '../api/egress-policy.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { DesiredObject } from '../compile/names.ts';
import { readStatus, recordedIn } from '../controllers/egress-policy/read-status.ts';
import { idOf } from '../controllers/identity.ts';
import { describeForeign, isControlledBy, isOurs } from '../controllers/ownership.ts';
import { type JudgedPolicy, judgePolicy, profileNameOf, profileProblems, type Site } from '../explain/judge.ts';
import { policyRefusals, problemRefusal, type Refusal } from '../explain/refusals.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Manifest } from '../manifests/manifest.ts';
import type { Live } from './live.ts';

export type Change = 'New' | 'Changed' | 'Unchanged';

export interface PlannedObject {
  readonly object: KubeObject;
  /** Undefined for a live policy that is only touched by a change of its profile. */
  readonly manifest: Manifest | undefined;
  readonly change: Change;
  readonly refusals: readonly Refusal[];
  /** What a refusal means for what is in force; undefined when nothing is refused. */
  readonly consequence?: string;
}

export interface Plan {
  readonly profiles: readonly PlannedObject[];
  readonly policies: readonly PlannedObject[];
  /** The RuntimeProfiles as they would be. */
  readonly profilesAfter: readonly KubeObject[];
  /** The network policies as they would be. */
  readonly outputsAfter: readonly (KubeObject | DesiredObject)[];
}

export interface Applied {
  readonly profiles: readonly Manifest[];
  readonly policies: readonly Manifest[];
}

/** `site` is that of the live objects. */
export function plan(applied: Applied, live: Live, site: Site): Plan {
  const profiles = applied.profiles.map((manifest) => planProfile(manifest, live.profiles));
  const stored = profiles.filter(({ refusals }) => refusals.every(({ reason }) => reason !== NOT_STORED));
  const profilesAfter = replaced(live.profiles, stored);
  const drafts = applied.policies.map((manifest) => draftOf(EgressPolicy, manifest, live.policies));
  const after: Site = { ...site, profiles: profilesAfter, policies: replaced(live.policies, drafts) };
  const touched = [...drafts, ...touchedByProfiles(live, drafts, stored)];
  const judged = touched.map((draft) => planPolicy(draft, after, live));
  return {
    profiles,
    policies: judged.map(({ planned }) => planned),
    profilesAfter,
    outputsAfter: judged.reduce<Plan['outputsAfter']>(
      (outputs, { removed, added }) => [...outputs.filter((output) => !removed.includes(output)), ...added],
      live.outputs,
    ),
  };
}

/** The reason of what the API server itself refuses to store. */
const NOT_STORED = 'InvalidPolicy';

type Draft = Omit<PlannedObject, 'refusals' | 'consequence'> & { readonly stored: KubeObject | undefined };

function draftOf(
  kind: typeof EgressPolicy | typeof RuntimeProfile,
  manifest: Manifest,
  live: readonly KubeObject[],
): Draft {
  const stored = live.find(({ metadata }) => metadata.name === manifest.object.metadata.name);
  // With the defaults that the API server has written into what is stored.
  const full = ({ spec }: KubeObject) => canonicalJson(kind.spec.safeParse(spec).data ?? spec);
  const same = stored !== undefined && full(stored) === full(manifest.object);
  const change = stored === undefined ? 'New' : same ? 'Unchanged' : 'Changed';
  return { object: asApplied(manifest.object, stored), manifest, change, stored };
}

/** What the API server adds: the identity and status of what is there, or the age of something younger than everything there is. */
function asApplied(object: KubeObject, stored: KubeObject | undefined): KubeObject {
  if (stored === undefined) return { ...object, metadata: { ...object.metadata, creationTimestamp: YOUNGEST } };
  return { ...object, metadata: stored.metadata, status: stored.status };
}

const YOUNGEST = '9999-12-31T23:59:59Z';

function planProfile(manifest: Manifest, live: readonly KubeObject[]): PlannedObject {
  const { stored, ...draft } = draftOf(RuntimeProfile, manifest, live);
  const profiles = replaced(live, [draft]);
  const refusals = profileProblems(draft.object, { profiles }, stored).map(({ reason, problem }) =>
    problemRefusal(reason, problem),
  );
  return { ...draft, refusals };
}

/** Policies that stay as they are, but whose profile does not. */
function touchedByProfiles(live: Live, drafts: readonly Draft[], profiles: readonly PlannedObject[]): readonly Draft[] {
  const changed = profiles.filter(({ change }) => change !== 'Unchanged').map(({ object }) => object.metadata.name);
  return live.policies
    .filter((policy) => changed.includes(profileNameOf(policy) ?? ''))
    .filter(({ metadata }) => drafts.every(({ object }) => object.metadata.name !== metadata.name))
    .map((object) => ({ object, manifest: undefined, change: 'Unchanged', stored: object }));
}

interface Outcome {
  readonly planned: PlannedObject;
  readonly removed: readonly unknown[];
  readonly added: readonly DesiredObject[];
}

function planPolicy({ stored, ...draft }: Draft, site: Site, live: Live): Outcome {
  const judged = judgePolicy(draft.object, site, stored);
  const own = ownOutputs(draft.object, live);
  const result = judged.judgement.result?.outputs ?? [];
  const refusals = [...policyRefusals(judged, site.facts), ...foreignOutputs(result, own, live)];
  if (refusals.length === 0) {
    const planned = { ...draft, refusals };
    return leavesDrift(judged, draft.object)
      ? { planned, removed: [], added: [] }
      : { planned, removed: own, added: result };
  }
  const shut = shutsOnRefusal(judged, draft.change, site);
  const consequence = consequenceOf(judged, own, shut, draft.change);
  return { planned: { ...draft, refusals, consequence }, removed: shut ? own : [], added: [] };
}

/** While a pause lasts and what is decided is in force already, the operator leaves what others made of it. */
function leavesDrift({ pause, judgement }: JudgedPolicy, policy: KubeObject): boolean {
  const inForce = recordedIn(readStatus(policy.status))?.specHash;
  return pause?.kind === 'Active' && inForce !== undefined && inForce === judgement.result?.digest;
}

function ownOutputs(policy: KubeObject, live: Live): readonly KubeObject[] {
  const { name, uid = '' } = policy.metadata;
  const owner = { kind: policy.kind, namespace: live.namespace, name, uid, id: idOf(policy) };
  const recorded = recordedIn(readStatus(policy.status))?.outputs.map((output) => output.uid) ?? [];
  return live.outputs.filter((output) => isControlledBy(output, owner) || isOurs(output, owner, recorded));
}

function foreignOutputs(outputs: readonly DesiredObject[], own: readonly KubeObject[], live: Live): readonly Refusal[] {
  return outputs.flatMap(({ kind, metadata }) => {
    const there = live.outputs.find((output) => output.kind === kind && output.metadata.name === metadata.name);
    if (there === undefined || own.includes(there)) return [];
    return [{ reason: 'OwnershipConflict', path: 'spec', message: describeForeign(there) }];
  });
}

/** ADR 0006: only for a newer spec that the API server takes, and only while the floor keeps shut what is removed. */
function shutsOnRefusal({ spec }: JudgedPolicy, change: Change, { floor }: Site): boolean {
  return spec.ok && spec.value.onRefusal === 'DenyAll' && change === 'Changed' && floor.ok;
}

function consequenceOf({ spec }: JudgedPolicy, own: readonly KubeObject[], shut: boolean, change: Change): string {
  if (!spec.ok) return 'the API server refuses the object: nothing changes';
  if (own.length === 0) return 'nothing of this policy is in force, and nothing would be: only the egress floor is';
  if (shut) return 'onRefusal is DenyAll: what is in force would be removed, and only the egress floor would be left';
  if (spec.value.onRefusal === 'KeepPrevious') return 'what is in force would stay (onRefusal: KeepPrevious)';
  const why = change === 'Changed' ? 'without the egress floor nothing is removed' : 'DenyAll is about a newer spec';
  return `what is in force would stay (${why})`;
}

/** The live objects with those in their place that the API server takes. */
function replaced(
  live: readonly KubeObject[],
  planned: readonly Pick<PlannedObject, 'object'>[],
): readonly KubeObject[] {
  const names = new Set(planned.map(({ object }) => object.metadata.name));
  return [...live.filter(({ metadata }) => !names.has(metadata.name)), ...planned.map(({ object }) => object)];
}
