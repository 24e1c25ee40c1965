/** Profiles and what they govern, for tests, and ways to wait for what becomes of them. */
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import type { RuntimeProfileStatus } from '../../src/api/runtime-profile.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kubectl } from './kubectl.ts';
import { ACCOUNT, API, PROFILE } from './policies.ts';

export type ProfileObject = KubeObject & { readonly status?: RuntimeProfileStatus };

export interface Ref {
  readonly namespace: string;
  readonly name: string;
}

/** Without a policy, unless the spec says otherwise: the floor is enough. */
export function profileWith({ namespace, name }: Ref, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: API,
    kind: 'RuntimeProfile',
    metadata: { name, namespace, ...metadata },
    spec: { serviceAccountName: `${name}-agent`, requires: { egress: 'None' }, ...spec },
  };
}

export function secretBinding({ namespace, name }: Ref, spec: object = {}): object {
  const secretRef = { name: 'model-key' };
  return {
    apiVersion: API,
    kind: 'SecretBinding',
    metadata: { name, namespace },
    spec: { profileRef: { name: PROFILE }, secretRef, keys: ['token'], exposure: 'AgentReadable', ...spec },
  };
}

export function serviceAccount(namespace: string, name = ACCOUNT): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

export function volumeClaim({ namespace, name }: Ref, profile = PROFILE): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, labels: { [PROFILE_LABEL]: profile } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** A pod that no node will run. */
export function idlePod({ namespace, name }: Ref, account = ACCOUNT, profile = PROFILE): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { [PROFILE_LABEL]: profile } },
    spec: { serviceAccountName: account, containers: [{ name: 'agent', image: 'none' }] },
  };
}

export function getProfile(kubectl: Kubectl, { namespace, name }: Ref): Promise<ProfileObject | undefined> {
  return kubectl.get<ProfileObject>('runtimeprofile', '-n', namespace, name);
}

/** Waits until the status is about the newest generation and fulfils `holds`. */
export function waitForProfile(
  kubectl: Kubectl,
  ref: Ref,
  holds: (profile: ProfileObject) => boolean,
  timeoutMs = 20_000,
): Promise<ProfileObject> {
  return waitFor(`RuntimeProfile ${ref.name}`, { timeoutMs, intervalMs: 50 }, async () => {
    const seen = await getProfile(kubectl, ref);
    const current = seen !== undefined && seen.status?.observedGeneration === seen.metadata.generation;
    if (current && holds(seen)) return { done: true, value: seen };
    return { done: false, saw: seen === undefined ? 'no profile' : JSON.stringify(seen.status) };
  });
}

export const isOpen = ({ metadata, status }: ProfileObject): boolean =>
  status?.admission?.open === true && status.admission.generation === metadata.generation;
export const isShut = (profile: ProfileObject): boolean => !isOpen(profile);
