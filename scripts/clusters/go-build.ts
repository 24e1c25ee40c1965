import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ScriptError } from '../lib/errors.ts';
import { run, succeeds, tryRun } from '../lib/exec.ts';
import { REPOSITORY } from '../lib/repository.ts';

/** A Go program from one of the pinned modules under `tools/`. */
export interface GoProgram {
  /** Folder under `tools/`. */
  readonly module: string;
  readonly package: string;
  readonly ldflags: string;
  readonly tags: readonly string[];
}

/** Static binaries, and no change of the pinned module files as a side effect. */
const GO_ENV = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' };

/** What a module proxy that is briefly away looks like in the output of `go`. */
const TRANSIENT = /i\/o timeout|connection re(set|fused)|TLS handshake|unexpected EOF|server misbehaving|: 50[234] /;

/** Builds one program into `target`. A download that failed on the way is tried once more: what was fetched is kept. */
export async function goBuild(program: GoProgram, target: string, logPath: string): Promise<void> {
  const tags = program.tags.length === 0 ? [] : ['-tags', program.tags.join(' ')];
  const args = ['build', '-trimpath', '-ldflags', program.ldflags, ...tags, '-o', target, program.package];
  const options = { cwd: moduleFolder(program.module), env: GO_ENV, logPath };
  const go = await findGo();
  await mkdir(path.dirname(target), { recursive: true });
  const first = await tryRun(go, args, options);
  if (first.code === 0) return;
  if (!TRANSIENT.test(first.stderr)) {
    throw new ScriptError('CommandFailed', `go build ${program.package} ended with code ${first.code}`);
  }
  await run(go, args, options);
}

/** Source folder of a module that `tools/<module>/go.mod` requires; its go.sum vouches for the bytes. */
export async function goModuleSource(module: string, modulePath: string): Promise<string> {
  const go = await findGo();
  const options = { cwd: moduleFolder(module), env: GO_ENV };
  await run(go, ['mod', 'download', modulePath], options);
  return (await run(go, ['list', '-m', '-f', '{{.Dir}}', modulePath], options)).trim();
}

export function moduleFolder(module: string): string {
  return path.join(REPOSITORY, 'tools', module);
}

/** The usual installation is found also where a shell profile has not put it on PATH. */
async function findGo(): Promise<string> {
  for (const candidate of ['go', '/usr/local/go/bin/go']) {
    if (await succeeds(candidate, ['version'])) return candidate;
  }
  throw new ScriptError(
    'ToolMissing',
    'Go 1.26 or newer is needed to build from source: see https://go.dev/doc/install',
  );
}
