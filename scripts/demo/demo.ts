import type { Cache } from '../clusters/cache.ts';
import type { Progress } from '../clusters/progress.ts';

/** What a demo is given, and tells its findings to. */
export interface DemoContext {
  readonly cache: Cache;
  readonly progress: Progress;
  readonly say: (text: string) => void;
}

export interface DemoResult {
  /** Whether everything came out as the demo promises. */
  readonly asExpected: boolean;
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** Commands to try next, and what each shows. */
  readonly next: readonly { readonly command: string; readonly shows: string }[];
}

export const GOVERNED = 'team-a';
export const FREE = 'team-b';
/** Name of the policy in examples/names.yaml. */
export const NAMES_POLICY = 'research-egress';
/** Name of the policy in examples/addresses.yaml. */
export const ADDRESSES_POLICY = 'research-addresses';
