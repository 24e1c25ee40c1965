import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ScriptError } from '../lib/errors.ts';
import { tail } from '../lib/tail.ts';

/** What a step is given: where its commands write. */
export interface Step {
  readonly logPath: string;
}

/** Tells a person what is going on, and where to look when it fails. */
export interface Progress {
  /** Runs one step: a line when it begins, a heartbeat while it is long, a line with its seconds when it ends. */
  step<T>(name: string, work: (step: Step) => Promise<T>): Promise<T>;
  note(line: string): void;
}

export interface ProgressOptions {
  readonly logFolder: string;
  readonly write: (line: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds between two heartbeats: 15 s unless told. */
  readonly heartbeatMs?: number;
}

export function createProgress(options: ProgressOptions): Progress {
  const seconds = (since: number): string => `${((options.now() - since) / 1000).toFixed(1)}s`;
  return {
    note: (line) => options.write(`    ${line}`),
    async step(name, work) {
      const logPath = path.join(options.logFolder, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`);
      await mkdir(options.logFolder, { recursive: true });
      await writeFile(logPath, '');
      const began = options.now();
      options.write(`==> ${name}`);
      const heartbeat = setInterval(() => {
        void lastLine(logPath).then((line) =>
          options.write(`    ... ${name}, ${seconds(began)}${line && ` | ${line}`}`),
        );
      }, options.heartbeatMs ?? 15_000);
      heartbeat.unref();
      try {
        const result = await work({ logPath });
        options.write(`    ${name}: ${seconds(began)}`);
        return result;
      } catch (error) {
        throw await stepFailure({ name, logPath, after: seconds(began) }, error);
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}

interface FailedStep {
  readonly name: string;
  readonly logPath: string;
  readonly after: string;
}

/** The innermost step is the one that says most: its message passes through the steps around it unchanged. */
async function stepFailure(step: FailedStep, error: unknown): Promise<ScriptError> {
  if (error instanceof ScriptError && error.reason === 'StepFailed') return error;
  const lines = (await tail(step.logPath)).slice(-20).map((line) => `    | ${line}`);
  const text = [
    `step "${step.name}" failed after ${step.after}: ${messageOf(error)}`,
    `  log: ${step.logPath}`,
    ...(lines.length === 0 ? [] : ['  its last lines:', ...lines]),
  ];
  return new ScriptError('StepFailed', text.join('\n'), { cause: error });
}

async function lastLine(file: string): Promise<string> {
  const line = (await tail(file)).at(-1) ?? '';
  // The command itself says nothing about how far it is.
  return line.startsWith('$ ') ? '' : line.slice(0, 100);
}

/** The progress of a command line: lines go to standard error, so that standard output stays an answer. */
export function consoleProgress(cache: { readonly root: string }): Progress {
  return createProgress({
    logFolder: path.join(cache.root, 'logs'),
    write: (line) => console.error(line),
    now: () => performance.now(),
  });
}
