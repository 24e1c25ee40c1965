/** PolicyBundles and their outputs for tests, and ways to wait for what becomes of them. */
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import type { PolicyBundleStatus } from '../../src/api/policy-bundle.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kubectl } from './kubectl.ts';
import { API, PROFILE } from './policies.ts';
import type { BundleData } from './tool-policies.ts';

export type BundleObject = KubeObject & { readonly status?: PolicyBundleStatus };
export type ConfigMapObject = KubeObject & { readonly data?: BundleData };

export const toolRule = { id: 'read', effect: 'Allow', server: 'github', tools: ['get_issue', 'search_*'] };

export function inline(...rules: readonly object[]) {
  return { source: { inline: { rules } } };
}

export function bundle(namespace: string, name: string, spec: Readonly<Record<string, unknown>>): object {
  return {
    apiVersion: API,
    kind: 'PolicyBundle',
    metadata: { name, namespace },
    spec: { profileRef: { name: PROFILE }, ...spec },
  };
}

/** Waits until the status is about the newest generation and fulfils `holds`. */
export function waitForBundle(
  kubectl: Kubectl,
  ref: { readonly namespace: string; readonly name: string },
  holds: (bundle: BundleObject) => boolean,
  timeoutMs = 40_000,
): Promise<BundleObject> {
  return waitFor(`PolicyBundle ${ref.name}`, { timeoutMs, intervalMs: 50 }, async () => {
    const seen = await kubectl.get<BundleObject>('policybundle', '-n', ref.namespace, ref.name);
    const current = seen !== undefined && seen.status?.observedGeneration === seen.metadata.generation;
    if (current && holds(seen)) return { done: true, value: seen };
    return { done: false, saw: seen === undefined ? 'no bundle' : JSON.stringify(seen.status) };
  });
}

export function bundleReady(kubectl: Kubectl, namespace: string, name: string): Promise<BundleObject> {
  return waitForBundle(kubectl, { namespace, name }, (seen) => isActive(seen as Observable));
}

/** Waits for `Ready` to carry the reason. */
export function bundleReason(kubectl: Kubectl, ref: { namespace: string; name: string }, reason: string) {
  return waitForBundle(kubectl, ref, ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.reason === reason),
  );
}

export function configMap(kubectl: Kubectl, namespace: string, name: string): Promise<ConfigMapObject | undefined> {
  return kubectl.get<ConfigMapObject>('configmap', '-n', namespace, name);
}

/** The garbage collector takes its time, and so do pods that come in swarms. */
export function configMapGone(kubectl: Kubectl, namespace: string, name: string): Promise<void> {
  return waitUntil(`ConfigMap ${name} to be gone`, { timeoutMs: 60_000, intervalMs: 100 }, async () => {
    return (await configMap(kubectl, namespace, name)) === undefined;
  });
}
