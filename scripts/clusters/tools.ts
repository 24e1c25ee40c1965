import { ScriptError } from '../lib/errors.ts';
import { succeeds } from '../lib/exec.ts';
import { BINARY_GROUPS, ensureBinaries } from './binaries.ts';
import type { Cache } from './cache.ts';
import type { Progress } from './progress.ts';

/** Paths or names of the programs that talk to clusters. */
export interface ClientTools {
  readonly kind: string;
  readonly kubectl: string;
  readonly helm: string;
}

/** The pinned tools, built once; on a machine without Go, those on PATH. Throws `ToolMissing` and says which. */
export async function clientTools(cache: Cache, progress: Progress): Promise<ClientTools> {
  try {
    const { kind, kubectl, helm3 } = await ensureBinaries(cache, BINARY_GROUPS.client, progress);
    return { kind, kubectl, helm: helm3 };
  } catch (error) {
    if (!(error instanceof ScriptError) || !isToolMissing(error)) throw error;
  }
  const onPath = { kind: ['version'], kubectl: ['version', '--client'], helm: ['version'] };
  for (const [name, args] of Object.entries(onPath)) {
    if (await succeeds(name, args)) continue;
    throw new ScriptError(
      'ToolMissing',
      `${name} is neither on PATH nor can it be built: install it, or Go 1.26 or newer`,
    );
  }
  return { kind: 'kind', kubectl: 'kubectl', helm: 'helm' };
}

function isToolMissing(error: ScriptError): boolean {
  return error.reason === 'ToolMissing' || (error.cause instanceof ScriptError && error.cause.reason === 'ToolMissing');
}
