/** Tries everything again and again for a while, from the first moment on, and keeps the best that came of each. */
import { networkInterfaces } from 'node:os';
import { type Attempt, parseAttempt } from '../probe/attempt.ts';
import { type Observation, OUTCOMES, type Outcome, type Seen } from '../probe/observation.ts';
import { connectTo } from './connect.ts';
import { askServer, lookUp } from './lookup.ts';

export interface Trial {
  readonly attempts: readonly string[];
  /** How long. It ends sooner when everything got through. */
  readonly windowMs: number;
  /** Every 20 ms at first: whatever is open for a moment is found open. */
  readonly burst: boolean;
}

const EVERY_MS = 400;
const BURST_EVERY_MS = 20;
const BURST_MS = 600;

/** No name leads to more addresses that are tried. */
const MAX_ADDRESSES = 4;

type Result = Pick<Seen, 'outcome' | 'addresses'>;

/** Throws for what is no attempt. */
export async function tryAll({ attempts, windowMs, burst }: Trial): Promise<Observation> {
  const firstMs = performance.now();
  const goals = attempts.map(goalOf);
  const pending: Promise<void>[] = [];
  for (let waited = 0; waited <= windowMs && !goals.every(isThrough); waited = performance.now() - firstMs) {
    for (const goal of goals) if (!isThrough(goal)) pending.push(tryOnce(goal));
    await sleep(burst && waited < BURST_MS ? BURST_EVERY_MS : EVERY_MS);
  }
  await Promise.all(pending);
  return { firstMs, families: families(), seen: goals.map(({ best }) => best) };
}

interface Goal {
  readonly attempt: Attempt;
  best: Seen;
}

function goalOf(text: string): Goal {
  const attempt = parseAttempt(text);
  if (attempt === undefined) throw new Error(`"${text}" is no attempt`);
  return { attempt, best: { outcome: 'failed', atMs: 0, tries: 0, addresses: [] } };
}

function isThrough({ attempt, best }: Goal): boolean {
  const wanted: readonly Outcome[] =
    attempt.kind === 'name' || (attempt.kind === 'tcp' && attempt.word === undefined)
      ? ['answered', 'connected']
      : ['answered'];
  return wanted.includes(best.outcome);
}

async function tryOnce(goal: Goal): Promise<void> {
  const atMs = performance.now();
  goal.best = { ...goal.best, tries: goal.best.tries + 1 };
  const { outcome, addresses } = await resultOf(goal.attempt);
  const better = OUTCOMES.indexOf(outcome) < OUTCOMES.indexOf(goal.best.outcome);
  if (better) goal.best = { ...goal.best, outcome, atMs };
  if (addresses.length > 0) goal.best = { ...goal.best, addresses };
}

async function resultOf(attempt: Attempt): Promise<Result> {
  switch (attempt.kind) {
    case 'tcp':
      return { outcome: await connectTo(attempt.host, attempt.port, attempt.word), addresses: [] };
    case 'resolve':
      return lookUp(attempt.name, families());
    case 'dns':
      return { outcome: await askServer(attempt.server, attempt.port, attempt.name), addresses: [] };
    case 'name': {
      const found = await lookUp(attempt.name, families());
      if (found.addresses.length === 0) return found;
      const addresses = found.addresses.slice(0, MAX_ADDRESSES);
      const outcomes = await Promise.all(addresses.map((address) => connectTo(address, attempt.port)));
      return { outcome: best(outcomes), addresses };
    }
  }
}

function best(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'failed';
}

/** Of which families the pod has an address that is good beyond its link. */
export function families(): readonly ('IPv4' | 'IPv6')[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !/^(fe[89ab]|169\.254\.)/.test(address));
  return (['IPv4', 'IPv6'] as const).filter((family) => addresses.some((item) => item.family === family));
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
