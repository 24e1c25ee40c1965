/** Canaries against real sockets of this machine. What a network denies, only a cluster can show. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families, tryAll } from './attempts.ts';
import { type Listening, listenDns, listenTcp, noSuchName } from './listen.ts';

let target: Listening;
let resolver: Listening;
let freePort: number;

beforeAll(async () => {
  target = await listenTcp(0, 'target');
  resolver = await listenDns(0);
  const unused = await listenTcp(0, 'unused');
  freePort = unused.port;
  unused.close();
});

afterAll(() => {
  target.close();
  resolver.close();
});

async function outcomes(...attempts: string[]) {
  const { seen } = await tryAll({ attempts, windowMs: 300, burst: false });
  return seen.map(({ outcome }) => outcome);
}

describe('a connection', () => {
  it('is answered when the target says its word, and only connected when it says another, or none is asked for', async () => {
    const at = `tcp://127.0.0.1:${target.port}`;
    expect(await outcomes(`${at}#target`, `${at}#other`, at)).toEqual(['answered', 'connected', 'connected']);
  });

  it('to somebody who says nothing is no answer', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    expect(await outcomes(`tcp://127.0.0.1:${port}#target`)).toEqual(['connected']);
    mute.close();
  });

  it('is refused where nobody listens', async () => {
    expect(await outcomes(`tcp://127.0.0.1:${freePort}`)).toEqual(['refused']);
  });
});

describe('a resolver', () => {
  it('answers also when there is no such name', async () => {
    expect(await outcomes(`dns://127.0.0.1:${resolver.port}/a.example.com`)).toEqual(['answered']);
  });

  it('does not where nobody listens', async () => {
    const [outcome] = await outcomes(`dns://127.0.0.1:${freePort}/a.example.com`);
    expect(['refused', 'silent']).toContain(outcome);
  });

  it('of ours answers questions only', () => {
    const query = Buffer.from('abcd01000001000000000000', 'hex');
    expect(noSuchName(query)?.toString('hex')).toBe('abcd81030001000000000000');
    expect(noSuchName(Buffer.from('abcd81030001000000000000', 'hex'))).toBeUndefined();
    expect(noSuchName(Buffer.from('abcd', 'hex'))).toBeUndefined();
  });
});

describe('a trial', () => {
  it('goes on for its time, keeps the best that came, and says when it began', async () => {
    let connections = 0;
    const late = createServer((socket) => {
      connections += 1;
      socket.end(connections < 3 ? 'not yet\n' : 'agentplane late\n');
    }).listen(0, '127.0.0.1');
    await once(late, 'listening');
    const { port } = late.address() as { port: number };
    const attempts = [`tcp://127.0.0.1:${port}#late`];
    const { firstMs, seen } = await tryAll({ attempts, windowMs: 20_000, burst: true });
    late.close();
    expect(seen).toMatchObject([{ outcome: 'answered' }]);
    expect(seen[0]?.tries).toBeGreaterThanOrEqual(3);
    expect(seen[0]?.atMs).toBeGreaterThan(firstMs);
  });

  it('refuses what is no attempt', async () => {
    await expect(tryAll({ attempts: ['gopher://x'], windowMs: 1, burst: false })).rejects.toThrow('is no attempt');
  });

  it('knows the families of this machine', () => {
    expect(['IPv4', 'IPv6', 'IPv4,IPv6', '']).toContain(families().join(','));
  });
});
