/**
 * What runs in the pods of the probe. A file of its own in the image, beside the program: it has to try something within its first
 * 100 ms, and the program takes longer to be read.
 *
 *   canary.mjs --listen 8080,8081 --dns 53 --word target
 *   canary.mjs --window-ms 8000 [--burst] --try tcp://10.0.0.1:8080#target --try resolve://api.example.com
 */
import { writeFileSync } from 'node:fs';
import { encodeObservation } from '../probe/observation.ts';
import { tryAll } from './attempts.ts';
import { listenDns, listenTcp } from './listen.ts';

/** Where the kubelet takes the termination message from. */
const TERMINATION_LOG = '/dev/termination-log';

const args = process.argv.slice(2);
const valuesOf = (flag: string) => args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []));
const numbersOf = (flag: string) => valuesOf(flag).flatMap((value) => value.split(',').map(Number));

async function main(): Promise<void> {
  const attempts = valuesOf('--try');
  if (attempts.length > 0) return report(attempts);
  const [word = 'target'] = valuesOf('--word');
  await Promise.all([
    ...numbersOf('--listen').map((port) => listenTcp(port, word)),
    ...numbersOf('--dns').map((port) => listenDns(port)),
  ]);
}

async function report(attempts: readonly string[]): Promise<void> {
  const [windowMs = 8000] = numbersOf('--window-ms');
  const observation = await tryAll({ attempts, windowMs, burst: args.includes('--burst') });
  for (const [index, seen] of observation.seen.entries())
    process.stdout.write(`${JSON.stringify({ try: attempts[index], ...seen })}\n`);
  writeFileSync(TERMINATION_LOG, encodeObservation(observation));
}

process.once('SIGTERM', () => process.exit(0));
await main();
// What still waits for an answer is not waited for.
if (valuesOf('--try').length > 0) process.exit(0);
