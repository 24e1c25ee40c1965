/** What one policy says about the egress of one pod, and what cannot be told. */
import { canonicalJson, isString, type Json, objectOf } from './json.ts';
import type { Grant, Peer, PolicyRef } from './types.ts';

export interface Reading {
  /** Whether it restricts the pod to what policies allow. False where that is not certain: nothing may rest on it then. */
  readonly isolates: boolean;
  readonly grants: readonly Grant[];
  readonly denies: readonly Grant[];
}

export const SAYS_NOTHING: Reading = { isolates: false, grants: [], denies: [] };

export function unknownPeer(what: string, value: unknown): Peer {
  return { kind: 'unknown', what, value: canonicalJson(value) ?? '' };
}

/** `what` of a peer that stands for all a policy may open, when that would cost too much to find out. It covers nothing, not even itself. */
export const TOO_COMPLEX = 'too complex to compare';

export function tooComplex(source: PolicyRef | undefined): Grant {
  return { peer: unknownPeer(TOO_COMPLEX, null), ports: 'all', ...(source && { source }) };
}

/** For a policy that cannot be read, or that its implementation may refuse as a whole: it may open something, and holds nothing shut. */
export function mayOpen(source: PolicyRef, what: string, value: unknown): Reading {
  return { ...SAYS_NOTHING, grants: [{ peer: unknownPeer(what, value), ports: 'all', source }] };
}

/** Where and how an object is called. One without a namespace is in `default`, as for kubectl. */
export function refOf(kind: PolicyRef['kind'], policy: Json): PolicyRef {
  const { namespace, name } = objectOf(policy.metadata) ?? {};
  return { kind, namespace: isString(namespace) ? namespace : 'default', name: isString(name) ? name : '' };
}
