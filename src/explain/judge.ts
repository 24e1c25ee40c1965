/** Judges objects as the operator would, without one. Pure. */
import { EgressPolicy, type EgressPolicySpec } from '../api/egress-policy.ts';
import { checkObject, type Parsed, type Problem, parseSpec } from '../api/kind.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import type { Facts } from '../compile/facts.ts';
import type { FloorState } from '../compile/floor.ts';
import type { Limits } from '../compile/validate.ts';
import { type Judgement, judge } from '../controllers/egress-policy/judge.ts';
import { type Pause, pauseOf } from '../controllers/egress-policy/pause.ts';
import { identityRival, idOf } from '../controllers/identity.ts';
import { profileProblem, type ResolvedProfile, resolveProfile } from '../controllers/profiles.ts';
import type { KubeObject } from '../kube/types.ts';
import { envelopeProblems } from './envelope.ts';

/** What a judgement of one namespace rests on. */
export interface Site {
  readonly namespace: string;
  readonly profiles: readonly KubeObject[];
  readonly policies: readonly KubeObject[];
  readonly floor: FloorState;
  readonly facts: Facts;
  readonly limits: Limits;
  /** A pause is judged by it. */
  readonly now: Date;
}

export interface JudgedPolicy {
  readonly spec: Parsed<EgressPolicySpec>;
  readonly judgement: Judgement;
  readonly pause: Pause | undefined;
}

/** `stored` is what the API server has under the same name, when there is one: some fields may not change. */
export function judgePolicy(policy: KubeObject, site: Site, stored?: KubeObject): JudgedPolicy {
  const spec = storable(policy, stored);
  const pause = spec.ok ? pauseOf(spec.value.pause, policy, site.now) : undefined;
  const judgement = judge(
    {
      owner: {
        kind: EgressPolicy.kind,
        namespace: site.namespace,
        name: policy.metadata.name,
        uid: policy.metadata.uid ?? '',
        id: idOf(policy),
      },
      spec,
      rival: identityRival(policy, site.policies),
      subject: subjectOf(policy, site),
      facts: site.facts,
      readable: { ok: true },
      floor: site.floor,
      pause,
    },
    site.limits,
  );
  return { spec, judgement, pause };
}

/** Whose pods a policy governs. */
export function subjectOf(
  policy: KubeObject,
  { namespace, profiles }: Pick<Site, 'namespace' | 'profiles'>,
): ResolvedProfile {
  const get = (name: string) => profiles.find(({ metadata }) => metadata.name === name);
  return resolveProfile({ namespace, profiles: { get, list: () => [...profiles] } }, profileNameOf(policy));
}

/** The profile that a policy names, also where its spec is not valid as a whole. */
export function profileNameOf(policy: KubeObject): string | undefined {
  const spec = policy.spec as { readonly profileRef?: { readonly name?: unknown } | null } | null | undefined;
  const name = spec?.profileRef?.name;
  return typeof name === 'string' ? name : undefined;
}

/** What stands in the way of a profile. Empty: it is accepted. */
export function profileProblems(
  profile: KubeObject,
  site: Pick<Site, 'profiles'>,
  stored?: KubeObject,
): readonly { readonly reason: string; readonly problem: Problem }[] {
  const spec = parseSpec(RuntimeProfile, profile.spec);
  const old = stored === undefined ? undefined : parseSpec(RuntimeProfile, stored.spec);
  const refused = [
    ...envelopeProblems(profile),
    ...(spec.ok ? [] : spec.problems),
    ...(spec.ok ? checkObject(RuntimeProfile, candidate(profile, spec.value, old)) : []),
  ];
  if (refused.length > 0) return refused.map((problem) => ({ reason: 'InvalidPolicy', problem }));
  const rival = profileProblem(profile, { profiles: site.profiles, pods: [] });
  return rival === undefined ? [] : [{ reason: rival.reason, problem: { path: 'spec', message: rival.message } }];
}

/** The spec, when an API server would store the object. */
function storable(policy: KubeObject, stored: KubeObject | undefined): Parsed<EgressPolicySpec> {
  const spec = parseSpec(EgressPolicy, policy.spec);
  const old = stored === undefined ? undefined : parseSpec(EgressPolicy, stored.spec);
  const problems = [
    ...envelopeProblems(policy),
    ...(spec.ok ? checkObject(EgressPolicy, candidate(policy, spec.value, old)) : spec.problems),
  ];
  return spec.ok && problems.length === 0 ? spec : { ok: false, problems };
}

function candidate<Spec>({ metadata }: KubeObject, spec: Spec, old: Parsed<Spec> | undefined) {
  return { name: metadata.name, spec, ...(old?.ok ? { oldSpec: old.value } : {}) };
}
