/** Reads manifests from files, folders and standard input. Every input that cannot be read is told, not only the first. */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { duplicates } from './duplicates.ts';
import { InputError, type InputProblem, type Manifest } from './manifest.ts';
import { parseManifests } from './parse.ts';

/** Far above what an API server stores of one object, far below what would not fit into memory as a tree. */
export const MAX_INPUT_BYTES = 32 * 1024 * 1024;

const EXTENSIONS = ['.yaml', '.yml', '.json'];
const STDIN = 'standard input';

export interface Reading {
  readonly stdin: Readable;
  /** Of objects that name none: only with it can be told whether two are the same. */
  readonly defaultNamespace: string;
}

/** `names` are files, folders (looked into recursively), or `-`. Throws `InputError`, also when an object is given twice. */
export async function readManifests(
  names: readonly string[],
  { stdin, defaultNamespace }: Reading,
): Promise<readonly Manifest[]> {
  const problems: InputProblem[] = [];
  const manifests: Manifest[] = [];
  for (const file of await filesOf(names, problems)) {
    const text = await textOf(file, stdin);
    if (!text.ok) {
      problems.push({ file: nameOf(file), message: text.message });
      continue;
    }
    const parsed = parseManifests(nameOf(file), text.value);
    manifests.push(...parsed.manifests);
    problems.push(...parsed.problems);
  }
  problems.push(...duplicates(manifests, defaultNamespace));
  if (problems.length > 0) throw new InputError(problems);
  return manifests;
}

function nameOf(file: string): string {
  return file === '-' ? STDIN : file;
}

/** Each file once, although it may be named twice. */
async function filesOf(names: readonly string[], problems: InputProblem[]): Promise<readonly string[]> {
  const files = new Map<string, string>();
  for (const name of names) {
    const found = name === '-' ? ['-'] : await expand(name, problems);
    for (const file of found) files.set(file === '-' ? file : path.resolve(file), file);
  }
  return [...files.values()];
}

async function expand(name: string, problems: InputProblem[]): Promise<readonly string[]> {
  try {
    if (!(await stat(name)).isDirectory()) return [name];
    const entries = await readdir(name, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => !entry.isDirectory() && EXTENSIONS.includes(path.extname(entry.name)))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
    if (files.length === 0)
      problems.push({ file: name, message: `holds no file that ends in ${EXTENSIONS.join(', ')}` });
    return files;
  } catch (error) {
    problems.push({ file: name, message: describeReadError(error) });
    return [];
  }
}

type Text = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

async function textOf(file: string, stdin: Readable): Promise<Text> {
  try {
    const content = await contentOf(file, stdin);
    if (content === undefined) return { ok: false, message: `is larger than ${MAX_INPUT_BYTES / 1024 / 1024} MiB` };
    if (file === '-' && content.length === 0) return { ok: false, message: 'is empty' };
    return decode(content);
  } catch (error) {
    return { ok: false, message: describeReadError(error) };
  }
}

/** Undefined when it is too large. What is no regular file has no size that would tell: a pipe, a device without an end. */
async function contentOf(file: string, stdin: Readable): Promise<Uint8Array | undefined> {
  if (file === '-') return bounded(stdin);
  const found = await stat(file);
  if (!found.isFile()) return bounded(createReadStream(file));
  return found.size > MAX_INPUT_BYTES ? undefined : readFile(file);
}

async function bounded(stream: Readable): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MAX_INPUT_BYTES) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

function decode(content: Uint8Array): Text {
  try {
    const value = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!value.includes('\0')) return { ok: true, value };
  } catch {
    // Not UTF-8: told below, like text that has a zero byte.
  }
  return { ok: false, message: 'is not text in UTF-8' };
}

function describeReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES') return 'may not be read';
  return error instanceof Error ? error.message : String(error);
}
