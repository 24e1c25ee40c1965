/** What GitOps tools take the health of an object to be, by their own programs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { openCache } from '../../scripts/clusters/cache.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { run } from '../../scripts/lib/exec.ts';

export interface Health {
  readonly status: string;
  readonly message: string;
}

export interface HealthReaders {
  /** As Argo CD asks a health check, in the Lua that it runs: the object is the global `obj`. */
  argo(object: object): Promise<Health>;
  /** As Flux and Helm 4 compute it. */
  kstatus(object: object): Promise<Health>;
  remove(): Promise<void>;
}

/** `script` is the text of the health check. */
export async function healthReaders(script: string): Promise<HealthReaders> {
  const cache = openCache(process.env);
  const { glua, kstatus } = await ensureBinaries(cache, ['glua', 'kstatus'], consoleProgress(cache));
  const folder = await mkdtemp(path.join(tmpdir(), 'agentplane-health-'));
  return {
    argo: async (object) => {
      const file = path.join(folder, 'health.lua');
      const check = `local function check()\n${script}\nend\nlocal hs = check()\nprint(hs.status .. "\\t" .. hs.message)\n`;
      await writeFile(file, `obj = ${luaOf(object)}\n${check}`);
      return parse(await run(glua, [file]));
    },
    kstatus: async (object) => parse(await run(kstatus, [], { input: JSON.stringify(object) })),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function parse(line: string): Health {
  const [status = '', message = ''] = line.trimEnd().split('\t');
  return { status, message };
}

/** A literal of Lua. `null` is left out, as Argo CD does. */
function luaOf(value: unknown): string {
  if (typeof value === 'string') return luaString(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, item]) => item !== null);
  return `{${entries.map(([key, item]) => `[${luaString(key)}] = ${luaOf(item)}`).join(', ')}}`;
}

function luaString(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`);
  return `"${bytes.join('')}"`;
}
