/**
 * The rules of a bundle: from its spec, or from a ConfigMap that is read by name and remembered. That the operator may read what the author
 * of the bundle may not tells the author nothing: without the digest of the text it is not looked into, and no part of it is repeated.
 */
import type { PolicyBundleSpec } from '../../api/policy-bundle.ts';
import type { ToolRule } from '../../api/tool-rule.ts';
import { readRules } from '../../compile/bundle/rules-text.ts';
import type { Client } from '../../kube/client.ts';
import { isKubeError } from '../../kube/errors.ts';
import { isRecord, type KubeObject } from '../../kube/types.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import { CONFIG_MAPS } from '../resources.ts';
import type { LoadedBundle } from './load.ts';
import type { Memory, Outcome } from './memory.ts';
import type { Refusals } from './refusals.ts';
import type { SharedRules } from './shared-rules.ts';

export type Source =
  | { readonly kind: 'Rules'; readonly rules: readonly ToolRule[]; readonly from: string }
  /** `Missing`: not there, or not what was meant. `Invalid`: what was meant, and no bundle may say it. */
  | { readonly kind: 'Missing' | 'NotReadable' | 'Invalid'; readonly message: string };

export interface Sourced {
  readonly source: Source;
  /** Absent for rules that stand in the spec. */
  readonly nextInMs?: number;
}

export interface SourceContext {
  readonly client: Pick<Client, 'get'>;
  readonly sources: Memory<Source>;
  readonly refusals: Refusals;
  readonly sharedRules: SharedRules;
}

const OUTCOMES = { Rules: 'good', Missing: 'bad', NotReadable: 'refused', Invalid: 'bad' } as const satisfies Readonly<
  Record<Source['kind'], Outcome>
>;

type ConfigMapRef = NonNullable<PolicyBundleSpec['source']['configMapRef']>;

/** Throws what leaves open what is there: the last status stays, and it is tried again. */
export async function sourceOf(
  key: QueueKey,
  { owner, generation, spec }: LoadedBundle,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Sourced | undefined> {
  if (!spec.ok) return undefined;
  const { inline, configMapRef } = spec.value.source;
  if (inline !== undefined)
    return { source: { kind: 'Rules', rules: inline.rules, from: 'its rules stand in the spec' } };
  if (configMapRef === undefined) return undefined;
  const subject = { key, about: `${owner.uid} ${generation}` };
  const known = context.sources.recall(subject);
  if (known !== undefined && known.dueInMs > 0) return { source: known.value, nextInMs: known.dueInMs };
  const source = await read(key, configMapRef, context, { wasGood: known?.value.kind === 'Rules', signal });
  context.sources.remember(subject, source, OUTCOMES[source.kind]);
  return { source, nextInMs: context.sources.recall(subject)?.dueInMs ?? 0 };
}

async function read(
  key: QueueKey,
  ref: ConfigMapRef,
  { client, refusals, sharedRules }: SourceContext,
  { wasGood, signal }: { readonly wasGood: boolean; readonly signal: AbortSignal },
): Promise<Source> {
  const { namespace } = key;
  try {
    const configMap = await client.get(CONFIG_MAPS, { namespace, name: ref.name }, { signal });
    refusals.end(key);
    const source = rulesOf(configMap, ref);
    return source.kind === 'Rules' ? { ...source, rules: sharedRules.share(ref.sha256, source.rules) } : source;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) {
      return { kind: 'Missing', message: `ConfigMap ${ref.name} does not exist in namespace ${namespace}: create it` };
    }
    if (!isKubeError(error, 'Forbidden') || (wasGood && refusals.isPassing(key))) throw error;
    return { kind: 'NotReadable', message: error.message };
  }
}

function rulesOf({ data }: KubeObject, { name, key, sha256 }: ConfigMapRef): Source {
  const text = isRecord(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof text !== 'string') {
    return { kind: 'Missing', message: `ConfigMap ${name} has no key ${key} under data: add it` };
  }
  const read = readRules({ text, key, sha256 });
  if (read.ok) return { kind: 'Rules', rules: read.rules, from: `ConfigMap ${name} holds the text that was meant` };
  return { kind: read.reason === 'Digest' ? 'Missing' : 'Invalid', message: `ConfigMap ${name}: ${read.message}` };
}
