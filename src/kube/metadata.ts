/**
 * The metadata of an object whose content must not be read, such as a Secret. The server is asked for them alone, and what else it may
 * send is neither decoded nor kept: not `data` from a server that does not know the question, and not the annotations, in which
 * `kubectl apply` repeats the whole object.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
import { malformed, parseJson } from './body.ts';
import type { Attempt } from './errors.ts';
import { isNamed, jsonMembers, type Member } from './json-members.ts';
import { isRecord, type ObjectMeta } from './types.ts';

export const METADATA_ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const KIND = 'PartialObjectMetadata';
const API_VERSION = 'meta.k8s.io/v1';
const MEMBERS = ['kind', 'apiVersion', 'metadata'] as const;
/** Labels and annotations are free text, in which anything may stand. */
const KEPT = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
] as const;

/** Wipes the bytes. @throws KubeError `Malformed`, which says nothing of what was in them. */
export function parseMetadata(attempt: Attempt, bytes: Uint8Array): ObjectMeta {
  try {
    return readMetadata(attempt, bytes);
  } finally {
    bytes.fill(0);
  }
}

function readMetadata(attempt: Attempt, bytes: Uint8Array): ObjectMeta {
  const members = jsonMembers(bytes) ?? [];
  const text = (name: string) => memberOf(attempt, members, name);
  // Before anything is decoded: any other member means that this is the object itself.
  const isPartial = members.every((member) => MEMBERS.some((name) => isNamed(member, name)));
  if (!isPartial || text('kind') !== KIND || text('apiVersion') !== API_VERSION) throw refusal(attempt);
  const inner = jsonMembers(members.findLast((member) => isNamed(member, 'metadata'))?.value ?? new Uint8Array()) ?? [];
  const kept = Object.fromEntries(
    KEPT.map((name) => [name, memberOf(attempt, inner, name)]).filter(([, value]) => value !== undefined),
  );
  if (!isMetadata(kept)) throw refusal(attempt);
  return kept;
}

function memberOf(attempt: Attempt, members: readonly Member[], name: string): unknown {
  const member = members.findLast((candidate) => isNamed(candidate, name));
  return member === undefined ? undefined : parseJson(attempt, member.value);
}

function isMetadata(value: Record<string, unknown>): value is Record<string, unknown> & ObjectMeta {
  const { name, managedFields = [] } = value;
  return typeof name === 'string' && name !== '' && Array.isArray(managedFields) && managedFields.every(isRecord);
}

function refusal(attempt: Attempt) {
  return malformed(
    attempt,
    `the response is not a ${KIND}, and was not read; is a proxy answering for the API server?`,
  );
}
