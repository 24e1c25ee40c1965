/** Inputs for tests of bundles: complete, so that a test states only what it is about. */
import type { ToolRule } from '../../api/tool-rule.ts';
import type { Owner } from '../names.ts';
import { type BundleOutput, type BundleRequest, compileBundle } from './compile-bundle.ts';

export const bundleOwner: Owner = {
  kind: 'PolicyBundle',
  namespace: 'team-a',
  name: 'research-tools',
  uid: '11111111-2222-3333-4444-555555555555',
};

/** How Cedar knows the agents of the profile that `bundleOf` compiles for. */
export const AGENT_ID = 'team-a/research';

export const RULES: readonly ToolRule[] = [
  { id: 'read', effect: 'Allow', server: 'github', tools: ['get_issue', 'search_*'] },
  { id: 'write', effect: 'Ask', server: 'github', tools: ['create_*', 'search_code'] },
  { id: 'secret', effect: 'Deny', server: 'github', tools: ['*_secret', '*_secret_*'] },
];

export function bundleRequest(parts: Partial<BundleRequest> = {}): BundleRequest {
  return { owner: bundleOwner, profile: 'research', rules: RULES, targets: ['Cedar', 'JSON'], ...parts };
}

/** @throws Error when it does not compile */
export function bundleOf(parts: Partial<BundleRequest> = {}): BundleOutput {
  const compilation = compileBundle(bundleRequest(parts));
  if (compilation.kind !== 'Compiled') throw new Error(JSON.stringify(compilation));
  return compilation.output;
}
