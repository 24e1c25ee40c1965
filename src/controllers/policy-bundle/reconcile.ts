/** One PolicyBundle: load, read its rules, judge, enact, and ONE status write, skipped when nothing changed. */
import { PolicyBundle } from '../../api/policy-bundle.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Informer } from '../../kube/informer.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import type { Announce } from '../announce.ts';
import { DRIFT_VISIBLE_MS } from '../egress-policy/fights.ts';
import type { DriftOutcome } from '../egress-policy/publish.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { publishStatus } from '../publish-status.ts';
import { type Enacted, enact, type Found, type Output, passingCause } from './enact.ts';
import { judgeAccepted, judgeBundle } from './judge.ts';
import { type LoadedBundle, loadBundle } from './load.ts';
import { createMemory, type Memory, type MemoryParts } from './memory.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { createRestorations, type Restoration, type Restorations } from './restorations.ts';
import { createSharedRules, type SharedRules } from './shared-rules.ts';
import { type Source, type Sourced, sourceOf } from './source.ts';
import { bundleStatusOf } from './status.ts';
import { type Pruned, prune } from './supersede.ts';

/** What is known of things that are not watched. */
export interface BundleMemories {
  readonly sources: Memory<Source>;
  readonly outputs: Memory<Found>;
  readonly kept: Memory<Output>;
  readonly refusals: Refusals;
  readonly sharedRules: SharedRules;
  readonly restorations: Restorations;
}

export function createBundleMemories(parts: MemoryParts): BundleMemories {
  return {
    sources: createMemory(parts),
    outputs: createMemory(parts),
    kept: createMemory(parts),
    refusals: createRefusals(parts.clock),
    sharedRules: createSharedRules(),
    restorations: createRestorations(parts.clock),
  };
}

export interface PolicyBundleContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly isCurrent: (informer: Informer) => boolean;
  readonly clock: Clock;
  readonly bundles: BundleMemories;
  readonly announce: Announce;
  readonly onDrift: (outcome: DriftOutcome) => void;
}

export async function reconcilePolicyBundle(
  key: QueueKey,
  signal: AbortSignal,
  context: PolicyBundleContext,
): Promise<ReconcileResult> {
  const cache = context.cacheOf(key.namespace);
  if (cache === undefined) return {};
  const { client, clock, bundles } = context;
  const loaded = loadBundle(key.name, cache, context.isCurrent);
  if (loaded === undefined) {
    for (const memory of [bundles.sources, bundles.outputs, bundles.kept]) memory.forget(key);
    bundles.refusals.end(key);
    return {};
  }
  const isRefused = judgeAccepted(loaded, undefined).status !== 'True';
  const sourced = isRefused ? undefined : await sourceOf(key, loaded, { client, ...bundles }, signal);
  const judgement = judgeBundle(loaded, sourced?.source);
  const enacted = await enact(loaded, judgement, { key, client, signal, ...bundles });
  const now = clock.now();
  const pruned = await prune(loaded, enacted, now, { client, signal });
  if (enacted.kind === 'Applied' && enacted.restored) tellRestored(loaded, enacted.output, context);
  const restoration = bundles.restorations.latest(loaded, now);
  const { superseded } = pruned;
  const status = bundleStatusOf({ loaded, judgement, enacted, superseded, restoration: restoration?.message, now });
  const publication = { kind: PolicyBundle, object: loaded.bundle, status, signal };
  await publishStatus(publication, { ...context, informer: cache.bundles });
  return lookAgain({ sourced, enacted, pruned, restoration });
}

function tellRestored(loaded: LoadedBundle, { configMap }: Output, context: PolicyBundleContext): void {
  const message = `ConfigMap ${configMap} was taken away or changed; it has been restored`;
  context.bundles.restorations.add(loaded, message);
  context.onDrift('restored');
  context.announce(loaded.bundle, 'Warning', { reason: 'DriftRestored', message });
}

interface Outcome {
  readonly sourced: Sourced | undefined;
  readonly enacted: Enacted;
  readonly pruned: Pruned;
  readonly restoration: Restoration | undefined;
}

/** When to look again without an event. A failed call is tried again by its own policy: it is thrown. */
function lookAgain({ sourced, enacted, pruned, restoration }: Outcome): ReconcileResult {
  const cause = (enacted.kind === 'Failed' ? passingCause(enacted.failure) : undefined) ?? pruned.cause;
  if (cause !== undefined) throw cause;
  const shown = restoration === undefined ? undefined : DRIFT_VISIBLE_MS - restoration.agoMs;
  const waits = [sourced?.nextInMs, enacted.nextInMs, pruned.nextInMs, shown].filter((wait) => wait !== undefined);
  // A moment more: what is waited for must be over.
  return waits.length === 0 ? {} : { requeueAfterMs: Math.max(0, Math.min(...waits)) + 100 };
}
