import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { ScriptError } from './errors.ts';

export interface RunOptions {
  readonly cwd?: string;
  /** Added to this process's environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input, which is empty otherwise. */
  readonly input?: string;
  /** Both output streams are appended to this file as they come. */
  readonly logPath?: string;
  /** After this many milliseconds the whole process group is killed. No limit by default. */
  readonly timeoutMs?: number;
}

export interface RunResult {
  /** Exit code; 128 plus the signal's usual meaning is not reproduced: a killed process counts as -1. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Kept of each stream, from its end: enough for any answer that is parsed here, and bounded for a chatty build. */
const KEEP_BYTES = 16 * 1024 * 1024;

/** Runs a command and returns its output whatever its exit code. Throws `CommandMissing` or `CommandTimedOut`. */
export async function tryRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const log = options.logPath === undefined ? undefined : createWriteStream(options.logPath, { flags: 'a' });
  log?.write(`$ ${[command, ...args].join(' ')}\n`);
  try {
    return await execute(command, args, options, log);
  } finally {
    await new Promise<void>((done) => (log === undefined ? done() : log.end(done)));
  }
}

/** Runs a command that must succeed; returns its standard output. Throws `CommandFailed` with the end of its output. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await tryRun(command, args, options);
  if (result.code === 0) return result.stdout;
  const output = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-15).join('\n');
  throw new ScriptError('CommandFailed', `${shorten([command, ...args])} ended with code ${result.code}: ${output}`);
}

/** Whether the command exists on PATH and exits with 0. */
export async function succeeds(command: string, args: readonly string[], options: RunOptions = {}): Promise<boolean> {
  try {
    return (await tryRun(command, args, options)).code === 0;
  } catch (error) {
    if (error instanceof ScriptError) return false;
    throw error;
  }
}

function execute(
  command: string,
  args: readonly string[],
  options: RunOptions,
  log: WriteStream | undefined,
): Promise<RunResult> {
  const env = { ...process.env, ...options.env };
  // A group of its own, so that a time limit also ends what the command itself has started.
  const child = spawn(command, args, { cwd: options.cwd, env, detached: options.timeoutMs !== undefined });
  const stdout = collect(child.stdout, log);
  const stderr = collect(child.stderr, log);
  // A command may end without reading its input; the broken pipe is then not an error of ours.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => expire(), options.timeoutMs);
    const expire = (): void => {
      killGroup(child);
      reject(new ScriptError('CommandTimedOut', `${shorten([command, ...args])} took over ${options.timeoutMs} ms`));
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(error.code === 'ENOENT' ? new ScriptError('CommandMissing', `${command} is not installed`) : error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, stdout: stdout(), stderr: stderr() });
    });
  });
}

function collect(stream: NodeJS.ReadableStream, log: WriteStream | undefined): () => string {
  let chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    log?.write(chunk);
    chunks.push(chunk);
    size += chunk.length;
    if (size > 2 * KEEP_BYTES) {
      chunks = [Buffer.concat(chunks).subarray(-KEEP_BYTES)];
      size = KEEP_BYTES;
    }
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Already gone: the close event is on its way.
  }
}

function shorten(words: readonly string[]): string {
  const line = words.join(' ');
  return line.length <= 200 ? line : `${line.slice(0, 200)}...`;
}
