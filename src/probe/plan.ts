/** From the settings and what is known of the cluster to policies, and to what every canary tries. Pure; policies come from the real compiler. */
import { CAPABILITIES, type Capability } from '../api/capability.ts';
import { EgressPolicy } from '../api/egress-policy.ts';
import { parseSpec } from '../api/kind.ts';
import { type Compilation, compile } from '../compile/compile.ts';
import type { Facts } from '../compile/facts.ts';
import { ASSERTIONS, type Assertion, floorTries, type PolicyInput, type Scene, type Settings } from './assertions.ts';
import { accountOf, type PolicySubject, podsOf, policyOf, profileOf, type Subject } from './subjects.ts';
import { isGap, type Try } from './tries.ts';

/** An output of the compiler under the canary's name. It has no owner yet. */
export interface PlannedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface PlannedPolicy {
  readonly capability: Capability;
  readonly subject: PolicySubject;
  readonly objects: readonly PlannedObject[];
}

/** A capability of which nothing is tried, and why. */
export interface Withheld {
  readonly capability: Capability;
  readonly result: 'Unsupported' | 'Inconclusive';
  readonly reason: string;
  readonly message: string;
}

export interface Plan {
  readonly policies: readonly PlannedPolicy[];
  readonly withheld: readonly Withheld[];
}

/** An attempt of one or more canaries that are alike. */
export interface Check extends Try {
  readonly capability: Capability;
  /** The names of their pods. */
  readonly pods: readonly string[];
}

export interface MissingTarget {
  readonly capability: Capability;
  readonly gap: string;
}

export function planOf(settings: Settings, facts: Facts): Plan {
  const policies: PlannedPolicy[] = [];
  const withheld: Withheld[] = [];
  for (const capability of CAPABILITIES) {
    const refusal = refusalOf(capability, facts);
    const assertion = ASSERTIONS.find((item) => item.capability === capability);
    const planned =
      refusal ?? (assertion === undefined ? untried(capability) : plannedPolicy(assertion, settings, facts));
    if (planned === undefined) continue;
    if ('objects' in planned) policies.push(planned);
    else withheld.push(planned);
  }
  return { policies, withheld };
}

/** What the report says already. */
function refusalOf(capability: Capability, facts: Facts): Withheld | undefined {
  switch (facts.state) {
    case 'Missing': {
      const message = 'there is no capability report: policies cannot be compiled';
      return { capability, result: 'Inconclusive', reason: 'InventoryMissing', message };
    }
    case 'Stale': {
      const message = `the capability report of ${facts.observedAt} is too old to compile by`;
      return { capability, result: 'Inconclusive', reason: 'InventoryStale', message };
    }
    case 'Known': {
      const known = facts.capabilities.get(capability);
      if (known?.state === 'Supported') return undefined;
      const reason = known?.reason ?? 'NotReported';
      const message = `provider ${facts.provider.name} cannot do it, or does not say so (${reason})`;
      return { capability, result: 'Unsupported', reason, message };
    }
  }
}

/** The floor needs no policy; and what no emitter has yet cannot be tried. */
function untried(capability: Capability): Withheld | undefined {
  if (capability === 'isolation') return undefined;
  return { capability, result: 'Inconclusive', reason: 'NotTried', message: 'the probe has no attempt for it' };
}

/** Undefined where a target is missing: the checks say which. */
function plannedPolicy(assertion: Assertion, settings: Settings, facts: Facts): PlannedPolicy | Withheld | undefined {
  const { capability, subject } = assertion;
  const input = assertion.spec(settings);
  if (input === undefined) return undefined;
  const compiled = compiledFor(subject, input, { settings, facts });
  if (typeof compiled === 'string')
    return { capability, result: 'Inconclusive', reason: 'PolicyRefused', message: compiled };
  const { problems, support, result } = compiled;
  if (support.state === 'Unsupported') {
    const missing = support.missing.find((item) => item.capability === capability) ?? support.missing[0];
    const message = `it needs ${support.missing.map((item) => `${item.capability} (${item.reason})`).join(', ')}`;
    return { capability, result: 'Unsupported', reason: missing?.reason ?? 'NotReported', message };
  }
  if (result === undefined) {
    const message = problems.map((problem) => problem.message).join('; ') || `not compiled: ${support.state}`;
    return { capability, result: 'Inconclusive', reason: 'PolicyRefused', message };
  }
  const objects = result.outputs.map(({ apiVersion, kind, spec }) => ({
    apiVersion,
    kind,
    name: policyOf(subject),
    spec,
  }));
  return { capability, subject, objects };
}

/** As the operator would compile it; a text where the schema refuses it. */
function compiledFor(
  subject: PolicySubject,
  input: PolicyInput,
  { settings, facts }: { readonly settings: Settings; readonly facts: Facts },
): Compilation | string {
  const spec = parseSpec(EgressPolicy, { profileRef: { name: profileOf(subject) }, ...input });
  if (!spec.ok) return spec.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return compile({
    owner: { kind: EgressPolicy.kind, namespace: settings.namespace, name: policyOf(subject), uid: policyOf(subject) },
    spec: spec.value,
    subject: { profile: profileOf(subject), serviceAccountName: accountOf(subject) },
    facts,
    limits: { allowAnyDestination: false, clusterDomain: settings.clusterDomain },
  });
}

/** Every attempt of the run, and what is missing for others. `isolation` is always tried: the floor is there whatever the provider. */
export function checksOf(plan: Plan, scene: Scene): readonly (Check | MissingTarget)[] {
  const withheld = new Set(plan.withheld.map(({ capability }) => capability));
  const floor = floorTries(scene).map((item): Check => ({ ...item, capability: 'isolation', pods: podsOf('floor') }));
  const rest = ASSERTIONS.filter(({ capability }) => !withheld.has(capability)).flatMap((assertion) =>
    assertion.tries(scene).map((item) => {
      const { capability, subject } = assertion;
      return isGap(item) ? { capability, gap: item.gap } : { ...item, capability, pods: podsOf(subject) };
    }),
  );
  return [...floor, ...rest];
}

export function isCheck(item: Check | MissingTarget): item is Check {
  return 'text' in item;
}

/** What each canary tries, in its order. The control tries everything. */
export function attemptsOf(checks: readonly Check[]): ReadonlyMap<Subject, readonly string[]> {
  const attempts = new Map<Subject, string[]>([['control', [...new Set(checks.map(({ text }) => text))]]]);
  for (const subject of canarySubjects()) {
    const own = checks.filter(({ pods }) => podsOf(subject).some((name) => pods.includes(name)));
    if (own.length > 0) attempts.set(subject, [...new Set(own.map(({ text }) => text))]);
  }
  return attempts;
}

function canarySubjects(): readonly Subject[] {
  return ['floor', ...ASSERTIONS.map(({ subject }) => subject)];
}
