/** Policies, profiles and statuses for tests, and ways to wait for what becomes of them. */

import { waitFor } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import type { Condition } from '../../src/api/conditions.ts';
import type { EgressPolicyStatus } from '../../src/api/egress-policy.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kubectl } from './kubectl.ts';

export const API = 'agentplane.dev/v1alpha1';
export const PROFILE = 'research';
export const ACCOUNT = 'research-agent';

export const cidrRule = { name: 'corp', to: [{ cidr: { block: '203.0.113.0/24' } }], ports: [{ port: 443 }] };
export const domainRule = { name: 'model-api', to: [{ domain: { name: 'api.example.com' } }], ports: [{ port: 443 }] };
export const resolver = { access: 'ClusterResolver' };

export function profile(namespace: string, name = PROFILE, serviceAccountName = ACCOUNT): object {
  return { apiVersion: API, kind: 'RuntimeProfile', metadata: { name, namespace }, spec: { serviceAccountName } };
}

export function policy(namespace: string, name: string, spec: Readonly<Record<string, unknown>>): object {
  return {
    apiVersion: API,
    kind: 'EgressPolicy',
    metadata: { name, namespace },
    spec: { profileRef: { name: PROFILE }, ...spec },
  };
}

export type PolicyObject = KubeObject & { readonly status?: EgressPolicyStatus };

export async function getPolicy(kubectl: Kubectl, namespace: string, name: string): Promise<PolicyObject | undefined> {
  return kubectl.get<PolicyObject>('egresspolicy', '-n', namespace, name);
}

export function conditionOf(object: PolicyObject, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** `Type=Status/Reason` of every condition, for messages and comparison. */
export function summary(object: PolicyObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (object.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status}/${reason}`]),
  );
}

/** Waits until the status is about the newest generation and fulfils `holds`. */
export function waitForPolicy(
  kubectl: Kubectl,
  ref: { readonly namespace: string; readonly name: string },
  holds: (policy: PolicyObject) => boolean,
  timeoutMs = 20_000,
): Promise<PolicyObject> {
  return waitFor(`EgressPolicy ${ref.name}`, { timeoutMs, intervalMs: 50 }, async () => {
    const seen = await getPolicy(kubectl, ref.namespace, ref.name);
    const current = seen !== undefined && seen.status?.observedGeneration === seen.metadata.generation;
    if (current && holds(seen)) return { done: true, value: seen };
    return { done: false, saw: seen === undefined ? 'no policy' : JSON.stringify(seen.status) };
  });
}

export function waitForReady(kubectl: Kubectl, namespace: string, name: string): Promise<PolicyObject> {
  return waitForPolicy(kubectl, { namespace, name }, (seen) => isActive(seen as Observable));
}

export function waitForReason(
  kubectl: Kubectl,
  ref: { namespace: string; name: string },
  reason: string,
): Promise<PolicyObject> {
  return waitForPolicy(kubectl, ref, (seen) => conditionOf(seen, 'Ready')?.reason === reason);
}
