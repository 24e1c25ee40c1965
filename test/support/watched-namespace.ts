/**
 * A governed namespace in memory, whose generated objects are noted after each write: what an agent of the provider could see at any
 * moment. The operator's own reconcile runs over it; only the API server is stood in for.
 */
import type { CapabilityReportStatus } from '../../src/api/capability-report.ts';
import type { KnownFacts } from '../../src/compile/facts.ts';
import { createDecisions } from '../../src/controllers/decisions.ts';
import { createFights } from '../../src/controllers/egress-policy/fights.ts';
import { type EgressPolicyContext, reconcileEgressPolicy } from '../../src/controllers/egress-policy/reconcile.ts';
import { createRejections } from '../../src/controllers/egress-policy/rejections.ts';
import { cacheOf } from '../../src/controllers/testing-cache.ts';
import { isKubeError } from '../../src/kube/errors.ts';
import { createFakeClock } from '../../src/kube/testing/fake-clock.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { LIMITS, OWNER } from './arbitrary-policy-facts.ts';
import { FLOOR } from './emitted-egress.ts';
import { type Fault, objectServer } from './object-server.ts';

/** The profiles that a policy may refer to, and the account of each. */
export const ACCOUNTS: Readonly<Record<string, string>> = { research: 'research-agent', constructor: 'other-agent' };

/** The generated objects of one moment. */
export type Moment = readonly KubeObject[];

export interface Change {
  readonly spec: unknown;
  /** Undefined: there is no report. */
  readonly facts: KnownFacts | undefined;
  readonly fault: Fault | undefined;
}

const { namespace, name, uid } = OWNER;
const API_VERSION = 'agentplane.dev/v1alpha1';
const MAX_TRIES = 4;

/** Takes one new generation of the policy after the other, each until it is reconciled. Returns every moment from the first write on. */
export function watchedNamespace(): (change: Change) => Promise<readonly Moment[]> {
  const server = objectServer();
  const cache = cacheOf(namespace, { profiles: Object.keys(ACCOUNTS).map(profile), networkPolicies: [floor] });
  const clock = createFakeClock();
  let report: CapabilityReportStatus | undefined;
  let generation = 0;
  const context: EgressPolicyContext = {
    client: server.client,
    cacheOf: () => cache,
    report: () => report,
    isFresh: () => true,
    isCurrent: () => true,
    limits: LIMITS,
    clock,
    rejections: createRejections(clock),
    fights: createFights(clock),
    decisions: createDecisions(),
    exclusive: () => ({ status: 'True', reason: 'NoOtherPolicy', message: '' }),
    announce: () => undefined,
    onDrift: () => undefined,
  };
  /** The events of what happened meanwhile arrive. */
  const catchUp = (): void => {
    for (const informer of [cache.policies, cache.networkPolicies, cache.ciliumPolicies]) {
      const kept = server.list(informer.resource.kind);
      for (const { metadata } of informer.list()) informer.change(metadata.name, undefined);
      for (const object of kept) informer.change(object.metadata.name, object);
    }
    cache.networkPolicies.change(floor.metadata.name, floor);
  };
  return async ({ spec, facts, fault }) => {
    generation += 1;
    report = facts && reportOf(facts);
    const status = server.list('EgressPolicy')[0]?.status;
    server.put({
      apiVersion: API_VERSION,
      kind: 'EgressPolicy',
      metadata: { name, namespace, uid, generation },
      spec,
      status,
    });
    server.begin(fault);
    for (let tries = 1; ; tries += 1) {
      catchUp();
      try {
        await reconcileEgressPolicy({ namespace, name }, new AbortController().signal, context);
        return server.moments();
      } catch (error) {
        if (!isKubeError(error) || tries === MAX_TRIES) throw error;
      }
    }
  };
}

const floor: KubeObject = { ...FLOOR, metadata: { ...FLOOR.metadata, uid: 'uid-floor' } };

function profile(profileName: string): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'RuntimeProfile',
    metadata: { name: profileName, namespace, uid: `uid-${profileName}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { serviceAccountName: ACCOUNTS[profileName] },
  };
}

function reportOf({
  provider,
  capabilityHash,
  capabilities,
  dns,
  apiServerAddresses,
}: KnownFacts): CapabilityReportStatus {
  return {
    observedAt: '2026-01-01T00:00:00Z',
    provider,
    capabilityHash,
    capabilities: [...capabilities].map(([capability, { state, reason }]) => ({ name: capability, state, reason })),
    ...(dns === undefined ? {} : { dns: { namespace: dns.namespace, podLabels: { ...dns.podLabels } } }),
    apiServer: { addresses: [...apiServerAddresses], port: 6443 },
  };
}
