/** What would become of objects in a cluster: what each policy would generate, or why it would be refused. Pure. */
import type { DesiredObject } from '../compile/names.ts';
import type { KubeObject } from '../kube/types.ts';
import { type Manifest, parseFieldPath, type Source } from '../manifests/manifest.ts';
import { hasProvisionalUid, type Sorted } from './input.ts';
import { judgePolicy, profileNameOf, profileProblems, type Site } from './judge.ts';
import { policyRefusals, problemRefusal, type Refusal } from './refusals.ts';

export interface Explained {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** The profile that a policy names, where that can be read. */
  readonly profile?: string;
  /** Empty: it compiles, or, for a profile, is accepted. */
  readonly refusals: readonly (Refusal & { readonly line?: number })[];
  readonly objects: readonly DesiredObject[];
  /** The names of the objects derive from a UID that only the API server gives: those here are placeholders. */
  readonly provisionalNames: boolean;
}

/** Profiles first, then policies, each in the order of the input. */
export function explain(sorted: Sorted, world: Pick<Site, 'facts' | 'limits' | 'now'>): readonly Explained[] {
  const siteOf = (namespace: string): Site => ({
    namespace,
    profiles: objectsIn(sorted.profiles, namespace),
    policies: objectsIn(sorted.policies, namespace),
    // Rendered by the chart for each governed namespace: not part of the input.
    floor: { ok: true },
    ...world,
  });
  const sites = new Map<string, Site>();
  for (const { object } of [...sorted.profiles, ...sorted.policies]) {
    const namespace = namespaceOf(object);
    if (!sites.has(namespace)) sites.set(namespace, siteOf(namespace));
  }
  const site = ({ object }: Manifest) => sites.get(namespaceOf(object)) ?? siteOf(namespaceOf(object));
  return [
    ...sorted.profiles.map((manifest) => explainProfile(manifest, site(manifest))),
    ...sorted.policies.map((manifest) => explainPolicy(manifest, site(manifest))),
  ];
}

function explainProfile(manifest: Manifest, site: Site): Explained {
  const refusals = profileProblems(manifest.object, site).map(({ reason, problem }) => problemRefusal(reason, problem));
  return { ...headOf(manifest), refusals: withLines(manifest.source, refusals), objects: [], provisionalNames: false };
}

function explainPolicy(manifest: Manifest, site: Site): Explained {
  const { object } = manifest;
  const judged = judgePolicy(object, site);
  const profile = profileNameOf(object);
  const id = judged.spec.ok ? judged.spec.value.id : undefined;
  return {
    ...headOf(manifest),
    ...(profile === undefined ? {} : { profile }),
    refusals: withLines(manifest.source, policyRefusals(judged, site.facts)),
    objects: judged.judgement.result?.outputs ?? [],
    provisionalNames: id === undefined && hasProvisionalUid(object),
  };
}

function headOf({ object, source }: Manifest) {
  const { kind, metadata } = object;
  return { kind, namespace: namespaceOf(object), name: metadata.name, file: source.file, line: source.line() };
}

/** Without a source, as of an object that is read from a cluster, there are no lines. */
export function withLines(source: Source | undefined, refusals: readonly Refusal[]): Explained['refusals'] {
  return refusals.map((refusal) =>
    source === undefined ? refusal : { ...refusal, line: source.line(parseFieldPath(refusal.path)) },
  );
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}

function objectsIn(manifests: readonly Manifest[], namespace: string): readonly KubeObject[] {
  return manifests.map(({ object }) => object).filter((object) => namespaceOf(object) === namespace);
}
