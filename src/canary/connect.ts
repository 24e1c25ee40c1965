/** One connection, and what comes of it. */
import { connect as openSocket } from 'node:net';
import type { Outcome } from '../probe/observation.ts';

/** How long a target may take, on a machine that is busy. */
export const PATIENCE_MS = 1500;

/** Something on the way said no, rather than nothing at all. */
const REFUSALS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EPERM']);

/** What a target says to whoever connects. */
export function greeting(word: string): string {
  return `agentplane ${word}\n`;
}

/** With a word, `answered` only when the target says it. Never rejects. */
export function connectTo(host: string, port: number, word?: string): Promise<Outcome> {
  return new Promise((done) => {
    const socket = openSocket({ host, port });
    let heard = '';
    let connected = false;
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      done(outcome);
    };
    const timer = setTimeout(() => end(connected ? 'connected' : 'silent'), PATIENCE_MS);
    socket.on('connect', () => {
      connected = true;
      if (word === undefined) end('connected');
    });
    socket.on('data', (chunk) => {
      heard = (heard + chunk.toString('latin1')).slice(0, 256);
      if (word !== undefined && heard.startsWith(greeting(word))) end('answered');
    });
    socket.on('end', () => end('connected'));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (connected) end('connected');
      else if (code === 'ETIMEDOUT') end('silent');
      else end(REFUSALS.has(code) ? 'refused' : 'failed');
    });
  });
}
