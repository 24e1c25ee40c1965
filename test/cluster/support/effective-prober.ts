/**
 * Runs inside a pod, from its text: `node --input-type=module-typescript -e TEXT ATTEMPTS`. Tries everything at the same time in one
 * process, since a process for each would keep a small machine too busy for its time limits. Imports nothing but what Node brings.
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Attempt, Outcome } from './effective-attempts.ts';

/** Time for a second attempt after the first packet. Everything here answers in milliseconds. */
const LIMIT_MS = 2_000;
const AGAIN_MS = 900;
const NAME_ERROR = 3;

function tryHttp(address: string, port: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish('shut'), LIMIT_MS);
    socket.once('connect', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.once('data', () => finish('open'));
    socket.once('error', () => finish('refused'));
  });
}

function tryDns(server: string, name: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const send = () => socket.send(question(name), 53, server);
    const again = setTimeout(send, AGAIN_MS);
    const finish = (outcome: Outcome) => {
      clearTimeout(again);
      clearTimeout(timer);
      socket.close();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish('shut'), LIMIT_MS);
    socket.once('message', (reply) => {
      const code = reply.readUInt8(3) & 15;
      finish(code === 0 || code === NAME_ERROR ? 'open' : 'shut');
    });
    send();
  });
}

/** An A question that asks for recursion: RFC 1035 section 4. */
function question(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
}

function tryOne(attempt: Attempt): Promise<Outcome> {
  return attempt.kind === 'http' ? tryHttp(attempt.address, attempt.port) : tryDns(attempt.server, attempt.name);
}

const attempts = JSON.parse(process.argv.at(-1) ?? '[]') as readonly Attempt[];
process.stdout.write(JSON.stringify(await Promise.all(attempts.map(tryOne))));
