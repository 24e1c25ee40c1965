/** Rules in, one immutable ConfigMap or a typed refusal out. Pure and total: no I/O, no clock, no throw. */
import { createHash } from 'node:crypto';
import type { BundleTarget } from '../../api/policy-bundle.ts';
import type { ToolRule } from '../../api/tool-rule.ts';
import { canonicalSet, digest } from '../canonical.ts';
import { identityHash, type OutputMeta, type Owner, outputMeta } from '../names.ts';
import { canonicalRules } from './rules.ts';
import { type Inexpressible, inexpressible, TARGETS, type Targets } from './targets.ts';

/** The kind of policy, as it appears in the names of its outputs: `ap-bundle-<hash>`. */
export const BUNDLE_SHORT_KIND = 'bundle';
export const BUNDLE_PREFIX = `ap-${BUNDLE_SHORT_KIND}-`;

/** As much as an API server takes: https://kubernetes.io/docs/concepts/configuration/configmap/ */
export const MAX_DATA_BYTES = 1_048_576;

export interface BundleRequest {
  readonly owner: Owner;
  /** The RuntimeProfile whose agents are meant. */
  readonly profile: string;
  readonly rules: readonly ToolRule[];
  readonly targets: readonly BundleTarget[];
}

export interface BundleOutput {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly metadata: OutputMeta;
  readonly immutable: true;
  readonly data: Readonly<Record<string, string>>;
}

export type BundleCompilation =
  | { readonly kind: 'Compiled'; readonly output: BundleOutput; readonly digest: string }
  | { readonly kind: 'Inexpressible'; readonly inexpressible: readonly Inexpressible[] }
  | { readonly kind: 'TooLarge'; readonly bytes: number };

export function compileBundle(request: BundleRequest, table: Targets = TARGETS): BundleCompilation {
  const { owner, profile } = request;
  const rules = canonicalRules(request.rules);
  const targets = canonicalSet(request.targets);
  const unsaid = inexpressible(rules, targets, table);
  if (unsaid.length > 0) return { kind: 'Inexpressible', inexpressible: unsaid };
  const policy = { subject: { namespace: owner.namespace, profile }, rules };
  const data = Object.assign({}, ...targets.map((target) => table[target].files(policy))) as BundleOutput['data'];
  const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_DATA_BYTES) return { kind: 'TooLarge', bytes };
  const contentDigest = digest(data);
  return {
    kind: 'Compiled',
    digest: contentDigest,
    output: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...outputMeta(owner, BUNDLE_SHORT_KIND), name: outputName(owner, contentDigest) },
      immutable: true,
      data,
    },
  };
}

/**
 * From content and stable identity: two bundles of one content have an output each, so that neither goes with the other. Longer than the
 * hashes of identities: content is free to choose, and two of one name must not be found by trying.
 */
function outputName(owner: Owner, contentDigest: string): string {
  const hash = createHash('sha256')
    .update(`${identityHash(owner)}\n${contentDigest}`)
    .digest('hex');
  return `${BUNDLE_PREFIX}${hash.slice(0, 32)}`;
}
