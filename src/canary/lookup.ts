/** One question to a resolver, and what comes of it. */
import { Resolver } from 'node:dns/promises';
import type { Outcome } from '../probe/observation.ts';
import { PATIENCE_MS } from './connect.ts';

/** Codes of c-ares for what a resolver has answered: that there is nothing, or that it will not say. */
const ANSWERS = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ESERVFAIL', 'EFORMERR', 'ENOTIMP', 'EBADRESP']);

export interface Lookup {
  readonly outcome: Outcome;
  readonly addresses: readonly string[];
}

/** By the pod's own resolver, for addresses of the families that the pod has. `answered`: there are some. Never rejects. */
export async function lookUp(name: string, families: readonly ('IPv4' | 'IPv6')[]): Promise<Lookup> {
  const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
  const ask = (family: 'IPv4' | 'IPv6') => (family === 'IPv4' ? resolver.resolve4(name) : resolver.resolve6(name));
  const answers = await Promise.allSettled((families.length === 0 ? (['IPv4'] as const) : families).map(ask));
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return { outcome: 'answered', addresses };
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'));
  const outcomes = codes.map((code): Outcome => (ANSWERS.has(code) ? 'unresolved' : silence(code)));
  return { outcome: outcomes.find((outcome) => outcome === 'unresolved') ?? outcomes[0] ?? 'failed', addresses: [] };
}

/** By that server. `answered`: it said anything at all. Never rejects. */
export async function askServer(server: string, port: number, name: string): Promise<Outcome> {
  const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
  try {
    resolver.setServers([`${server.includes(':') ? `[${server}]` : server}:${port}`]);
    await resolver.resolve4(name);
    return 'answered';
  } catch (error) {
    const code = codeOf(error);
    return ANSWERS.has(code) ? 'answered' : silence(code);
  }
}

function silence(code: string): Outcome {
  if (code === 'ETIMEOUT') return 'silent';
  return code === 'ECONNREFUSED' ? 'refused' : 'failed';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
