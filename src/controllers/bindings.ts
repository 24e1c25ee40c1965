/** The SecretBindings of a profile: which of them fit into what the API server is told, the older ones first. */
import { MAX_BINDINGS } from '../api/runtime-profile.ts';
import { MAX_SECRET_KEYS } from '../api/secret-key.ts';
import { compareText } from '../compile/canonical.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import { profileOf } from './exclusive.ts';
import { byAge } from './identity.ts';
import { isInForce } from './observable.ts';

/** What a binding gives to the pods of its profile. */
export interface Exposed {
  readonly secret: string;
  readonly keys: readonly string[];
}

/** Undefined for one that gives nothing to a pod, now or ever. Read without judging the rest of the spec: what is stored is valid. */
export function exposedBy({ spec, metadata }: KubeObject): Exposed | undefined {
  if (!isRecord(spec) || spec.exposure !== 'AgentReadable' || metadata.deletionTimestamp !== undefined)
    return undefined;
  const secret = isRecord(spec.secretRef) ? spec.secretRef.name : undefined;
  const keys = Array.isArray(spec.keys) ? spec.keys.filter((key) => typeof key === 'string') : [];
  return typeof secret === 'string' ? { secret, keys } : undefined;
}

/**
 * Why a binding has no place in the admission list of its profile; undefined when it has one, or needs none. Whether the bindings before
 * it are Ready plays no part: a place that comes and goes with a Secret would be none.
 */
export function placeProblem(binding: KubeObject, all: readonly KubeObject[]): string | undefined {
  const exposed = exposedBy(binding);
  const profile = profileOf(binding);
  if (exposed === undefined || profile === undefined) return undefined;
  const older = all.filter((other) => profileOf(other) === profile && byAge(other, binding) < 0).flatMap(exposures);
  if (older.length >= MAX_BINDINGS) {
    return `RuntimeProfile ${profile} has ${MAX_BINDINGS} older AgentReadable bindings, the most that one can have: delete one, or bind more keys in one`;
  }
  const taken = new Set(older.filter(({ secret }) => secret === exposed.secret).flatMap(({ keys }) => keys));
  if (new Set([...taken, ...exposed.keys]).size <= MAX_SECRET_KEYS) return undefined;
  return `with it, the bindings of RuntimeProfile ${profile} name more than ${MAX_SECRET_KEYS} keys of Secret ${exposed.secret}, the most that can be: split the Secret`;
}

function exposures(binding: KubeObject): readonly Exposed[] {
  const exposed = exposedBy(binding);
  return exposed === undefined ? [] : [exposed];
}

type AllowedSecret = { readonly name: string; readonly keys: string[] };

/**
 * The Secrets, with their keys, that pods of a profile may name: by the bindings that are in force. The bounds hold whatever statuses say:
 * one Secret too many, and the API server would refuse the whole list.
 */
export function allowedSecrets(bindings: readonly KubeObject[]): readonly AllowedSecret[] {
  const byName = new Map<string, Set<string>>();
  for (const { secret, keys } of bindings.filter(isInForce).sort(byAge).flatMap(exposures)) {
    const known = byName.get(secret) ?? new Set();
    const all = new Set([...known, ...keys]);
    if (all.size > MAX_SECRET_KEYS || (known.size === 0 && byName.size === MAX_BINDINGS)) continue;
    byName.set(secret, all);
  }
  return [...byName.entries()]
    .map(([name, keys]) => ({ name, keys: [...keys].sort(compareText) }))
    .sort((a, b) => compareText(a.name, b.name));
}
