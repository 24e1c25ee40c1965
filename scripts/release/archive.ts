/** Archives of which the same files give the same bytes: order, times, owners and modes are fixed. */
import { Buffer } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';

/** 1980-01-01: before it, some tools warn. */
const EPOCH = new Date('1980-01-01T00:00:00Z');

export interface ArchiveOptions {
  /** Folder that the names are relative to. */
  readonly folder: string;
  /** Files and folders, sorted by whoever calls. */
  readonly names: readonly string[];
  /** Put before every name. */
  readonly prefix?: string;
}

/** A tar, not compressed. Folders are not entries of their own. */
export async function tarOf({ folder, names, prefix }: ArchiveOptions): Promise<Buffer> {
  const stream = create(
    {
      cwd: folder,
      portable: true,
      mtime: EPOCH,
      noDirRecurse: true,
      follow: false,
      ...(prefix === undefined ? {} : { prefix }),
      onWriteEntry: (entry) => {
        // Whoever checked the repository out may have another umask.
        if (entry.stat !== undefined) entry.stat.mode = (entry.stat.mode & 0o100) === 0 ? 0o100644 : 0o100755;
      },
    },
    [...names],
  );
  const chunks: Buffer[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Without a name and a time in its header. */
export function gzipped(data: Buffer): Buffer {
  return gzipSync(data, { level: 6 });
}

/** Every file below the folder, sorted, relative to it. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
