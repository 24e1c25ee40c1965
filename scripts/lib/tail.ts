import { open } from 'node:fs/promises';

/** Non-empty lines of the last 8 KiB of a file, which may be large, or missing. */
export async function tail(file: string): Promise<string[]> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 8192);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return lines.map((line) => line.trim()).filter(Boolean);
  } finally {
    await handle.close();
  }
}
