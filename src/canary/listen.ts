/** What canaries try inside the cluster: says its word to whoever connects, and answers every question that there is no such name. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { greeting } from './connect.ts';

export interface Listening {
  readonly port: number;
  close(): void;
}

/** On every address of both families, where there are both. */
export async function listenTcp(port: number, word: string): Promise<Listening> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(greeting(word));
  });
  server.listen(port);
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? port) : port, close: () => void server.close() };
}

export async function listenDns(port: number): Promise<Listening> {
  try {
    return await listenDnsOver('udp6', port);
  } catch {
    return listenDnsOver('udp4', port);
  }
}

async function listenDnsOver(type: 'udp4' | 'udp6', port: number): Promise<Listening> {
  const socket = createSocket({ type });
  socket.on('message', (query, from) => {
    const answer = noSuchName(query);
    if (answer !== undefined) socket.send(answer, from.port, from.address);
  });
  socket.bind(port);
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => void socket.close() };
}

/** The header of RFC 1035, 4.1.1: the answer is the question, marked as a response with the code for "name error". */
export function noSuchName(query: Buffer): Buffer | undefined {
  if (query.length < 12 || ((query[2] ?? 0) & 0x80) !== 0) return undefined;
  const answer = Buffer.from(query);
  answer.writeUInt8((query[2] ?? 0) | 0x80, 2);
  answer.writeUInt8(3, 3);
  return answer;
}
