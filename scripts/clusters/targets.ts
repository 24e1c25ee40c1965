import path from 'node:path';
import { run, tryRun } from '../lib/exec.ts';
import { hashValue } from '../lib/hash.ts';
import { withLock } from '../lib/lock.ts';
import { waitUntil } from '../lib/wait-for.ts';
import type { ServerConfig } from '../targets/server.ts';
import type { Engine } from './engine.ts';
import type { Workshop } from './images.ts';
import { KIND_NETWORK } from './kind.ts';
import { planTargets, TARGET_PORTS, type TargetPlan } from './target-plan.ts';

const CONTAINER = 'agentplane-targets';
const CONFIG_LABEL = 'agentplane.config';

/** The plan for kind's network, which exists once a first cluster has been created. */
export async function currentTargets(engine: Engine): Promise<TargetPlan> {
  const text = await run(engine.command, ['network', 'inspect', KIND_NETWORK]);
  return planTargets(subnetsIn(JSON.parse(text)));
}

/** Subnets in what `network inspect` prints: podman says `subnet`, docker `Subnet`, at different depths. */
export function subnetsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key.toLowerCase() === 'subnet' && typeof item === 'string' ? [item] : subnetsIn(item),
  );
}

/** On kind's own network: what is there is outside of every cluster, and can be reached from all. One container holds all addresses: eight servers would only be eight times the memory. */
export async function ensureTargets(workshop: Workshop, image: string, plan: TargetPlan): Promise<void> {
  const { engine, progress } = workshop;
  const { addresses, records } = plan;
  const config: ServerConfig = { addresses, ports: TARGET_PORTS, resolver: { address: addresses.resolver, records } };
  const label = hashValue([config, image]);
  if (await areHealthy(engine, label)) return;
  const lock = path.join(workshop.cache.root, 'locks', CONTAINER);
  await withLock(lock, { timeoutMs: 60_000 }, () =>
    progress.step('targets', async ({ logPath }) => {
      if (await areHealthy(engine, label)) return;
      await removeTargets(engine);
      const options = ['--name', CONTAINER, '--network', KIND_NETWORK, '--cap-add', 'NET_ADMIN', '--user', '0'];
      const command = ['node', '/srv/server.ts', JSON.stringify(config)];
      await run(engine.command, ['run', '-d', ...options, '--label', `${CONFIG_LABEL}=${label}`, image, ...command], {
        logPath,
      });
      await waitUntil('the targets to answer', { timeoutMs: 30_000 }, () => areHealthy(engine, label));
    }),
  );
}

/** Also where the engine still believes in a container whose processes are gone. */
export async function removeTargets(engine: Engine): Promise<void> {
  await tryRun(engine.command, ['rm', '-f', CONTAINER]);
}

/** Asked for a name that only a server with the same configuration can give, from inside its own network. */
async function areHealthy(engine: Engine, label: string): Promise<boolean> {
  const format = `{{index .Config.Labels "${CONFIG_LABEL}"}}`;
  const found = await tryRun(engine.command, ['container', 'inspect', '--format', format, CONTAINER]);
  if (found.code !== 0 || found.stdout.trim() !== label) return false;
  const probe = ['curl', '-sf', '--max-time', '2', 'http://169.254.169.254/'];
  const answer = await tryRun(engine.command, ['exec', CONTAINER, ...probe], { timeoutMs: 10_000 });
  return answer.stdout.trim() === 'metadata';
}
