/**
 * The whole product as one file, and what runs in the pods of the probe as another beside it.
 *
 *   node scripts/image/bundle.ts [dist/agentplane.mjs]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { REPOSITORY } from '../lib/repository.ts';

export interface Bundle {
  readonly code: Uint8Array;
  readonly sourceMap: Uint8Array;
  /** What went into it, relative to the repository. */
  readonly inputs: readonly string[];
}

/** Some dependencies still call `require` at run time, which a module file does not have. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles one entry point in memory. The same sources give the same bytes. Names stay, so that stack traces can be read. */
export async function bundle(entry: string = path.join(REPOSITORY, 'src/main.ts')): Promise<Bundle> {
  const result = await build({
    entryPoints: [entry],
    outfile: path.join(REPOSITORY, 'dist/agentplane.mjs'),
    absWorkingDir: REPOSITORY,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: BANNER },
    legalComments: 'none',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const contents = (extension: string): Uint8Array => {
    const file = result.outputFiles.find(({ path: name }) => name.endsWith(extension));
    if (file === undefined) throw new Error(`esbuild wrote no ${extension} for ${entry}`);
    return file.contents;
  };
  return {
    code: contents('.mjs'),
    sourceMap: contents('.mjs.map'),
    inputs: Object.keys(result.metafile.inputs).sort(),
  };
}

/** A few kilobytes: it has to begin within milliseconds. ADR 0014. */
export function bundleCanary(): Promise<Bundle> {
  return bundle(path.join(REPOSITORY, 'src/canary/main.ts'));
}

if (import.meta.main) {
  const target = path.resolve(process.argv[2] ?? path.join(REPOSITORY, 'dist/agentplane.mjs'));
  const { code, sourceMap } = await bundle();
  const canary = await bundleCanary();
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, code);
  await writeFile(`${target}.map`, sourceMap);
  await writeFile(path.join(path.dirname(target), 'canary.mjs'), canary.code);
}
