import { createServer } from 'node:net';
import { ScriptError } from '../../lib/errors.ts';

/**
 * Below the range from which Linux takes the source ports of outgoing connections (32768 and up): while the API server
 * is restarted, a client that dials a port inside that range can be connected to itself, and keep the port.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** What this process has given out: nothing listens there until a component has started. */
const given = new Set<number>();

/**
 * Returns `count` loopback TCP ports that were free a moment ago, and that no other call in this process got. `start` spreads
 * the callers of other processes.
 */
export async function freePorts(count: number, start: number): Promise<number[]> {
  const found: number[] = [];
  const size = HIGHEST - LOWEST;
  for (let step = 0; step < size && found.length < count; step++) {
    const port = LOWEST + ((start + step) % size);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) found.push(port);
  }
  if (found.length < count)
    throw new ScriptError('NotReady', `no ${count} free ports between ${LOWEST} and ${HIGHEST}`);
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
