/** Which policies a change concerns. Level-triggered: a change only says which keys to look at again. */
import { EgressPolicy } from '../api/egress-policy.ts';
import { FLOOR_NAME, POLICY_LABEL } from '../api/meta.ts';
import { OUTPUT_SHORT_KIND, outputMeta } from '../compile/names.ts';
import type { Change } from '../kube/store.ts';
import type { KubeObject } from '../kube/types.ts';
import { type BindingTriggers, wireBindings } from './binding-triggers.ts';
import { isNews, isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { accountOf } from './governed-pods.ts';
import { idOf } from './identity.ts';
import { type NamespaceCache, outputInformers } from './namespace-cache.ts';
import { controllerOf } from './ownership.ts';
import { type ProfileTriggers, wireProfiles } from './profile-triggers.ts';

export interface Triggers extends BindingTriggers, ProfileTriggers {
  readonly policy: (namespace: string, name: string) => void;
  /** For changes that come in swarms, such as pods: looked at once, a moment later. */
  readonly policyLater: (namespace: string, name: string) => void;
}

export function wireTriggers(cache: NamespaceCache, triggers: Triggers): void {
  const { namespace } = cache;
  const allPolicies = () => {
    for (const { name } of unownedOutputs(cache)) triggers.policy(namespace, name);
    for (const policy of cache.policies.list()) triggers.policy(namespace, policy.metadata.name);
  };
  const index: PolicyIndex = { byOutput: new Map(), byUid: new Map() };
  cache.policies.onChange((change) => {
    if (!isNews(change)) return;
    for (const policy of [change.previous, change.current]) indexPolicy(index, policy, change.current !== undefined);
    triggers.policy(namespace, change.name);
    for (const name of sharingId(change, cache.policies.list())) triggers.policy(namespace, name);
  });
  wireBindings(cache, triggers);
  wireProfiles(cache, triggers);
  cache.profiles.onChange((change) => {
    if (!isNews(change)) return;
    triggers.profile(namespace, change.name);
    // What a status says concerns nobody else.
    if (!isRespecified(change)) return;
    // An account or an id that becomes free concerns the profiles that wait for it, and every policy of theirs.
    for (const profile of cache.profiles.list()) triggers.profile(namespace, profile.metadata.name);
    allPolicies();
  });
  for (const informer of outputInformers(cache)) {
    informer.onChange((change) => {
      if (change.name === FLOOR_NAME) allPolicies();
      else for (const name of concerned(change, index)) triggers.policy(namespace, name);
    });
  }
  cache.pods.onChange((change) => {
    const accounts = new Set([change.previous, change.current].map((pod) => pod && accountOf(pod)));
    for (const name of policiesOfAccounts(accounts, cache)) triggers.policyLater(namespace, name);
  });
}

function sharingId({ previous, current }: Change, policies: readonly KubeObject[]): string[] {
  const ids = new Set([previous, current].flatMap((object) => (object === undefined ? [] : (idOf(object) ?? []))));
  return policies.filter((policy) => ids.has(idOf(policy) ?? '')).map((policy) => policy.metadata.name);
}

/**
 * The policies that a changed object says it belongs to, or whose output's name it has: a stranger came or went. Only a controller that is
 * a policy counts: an object may name thousands of owners.
 */
function concerned({ previous, current, name }: Change, index: PolicyIndex): ReadonlySet<string> {
  const owning = [previous, current].map((object) => index.byUid.get((object && controllerOf(object)?.uid) ?? ''));
  const known = [...owning, index.byOutput.get(name)].filter((policy) => policy !== undefined);
  // Nobody's: the name of no policy is looked at, and finds that none answers for it.
  const isNobodys = current !== undefined && isUnowned(current) && !index.byOutput.has(name);
  return new Set(isNobodys ? [...known, name] : known);
}

/** Objects with our identity label that no controller holds: left behind by a policy that was deleted without them. */
export function unownedOutputs(cache: NamespaceCache): readonly KubeObject['metadata'][] {
  return outputInformers(cache).flatMap((informer) =>
    informer
      .list()
      .filter(isUnowned)
      .map(({ metadata }) => metadata),
  );
}

function isUnowned({ metadata }: KubeObject): boolean {
  return metadata.labels?.[POLICY_LABEL] !== undefined && controllerOf({ metadata }) === undefined;
}

/** Names of policies, by the name of their output, which derives from their stable identity, and by UID. */
interface PolicyIndex {
  readonly byOutput: Map<string, string>;
  readonly byUid: Map<string, string>;
}

function indexPolicy(index: PolicyIndex, policy: KubeObject | undefined, present: boolean): void {
  const { uid, name, namespace } = policy?.metadata ?? {};
  if (policy === undefined || uid === undefined || name === undefined || namespace === undefined) return;
  const owner = { kind: EgressPolicy.kind, namespace, name, uid, id: idOf(policy) };
  const output = outputMeta(owner, OUTPUT_SHORT_KIND).name;
  if (present) {
    index.byOutput.set(output, name);
    index.byUid.set(uid, name);
    return;
  }
  if (index.byOutput.get(output) === name) index.byOutput.delete(output);
  index.byUid.delete(uid);
}

function policiesOfAccounts(accounts: ReadonlySet<string | undefined>, cache: NamespaceCache): string[] {
  const profiles = new Set(
    cache.profiles
      .list()
      .filter((profile) => accounts.has(accountOf(profile)))
      .map((profile) => profile.metadata.name),
  );
  return cache.policies
    .list()
    .filter((policy) => profiles.has(profileOf(policy) ?? ''))
    .map((policy) => policy.metadata.name);
}
