import { rm } from 'node:fs/promises';
import path from 'node:path';
import { removeEmbeddedDemo } from '../demo/embedded.ts';
import { ensureTestClientImage } from '../image/test-client.ts';
import { ScriptError } from '../lib/errors.ts';
import { run, tryRun } from '../lib/exec.ts';
import { BINARY_GROUPS, ensureBinaries } from './binaries.ts';
import type { Cache } from './cache.ts';
import { ensureCiliumImage } from './cilium-image.ts';
import { ensureCluster, removeCluster } from './cluster.ts';
import { attachEmbedded, startEmbedded } from './embedded/control-plane.ts';
import { ensureEngine, findEngine, prepareBuildHost } from './engine.ts';
import { FLAVOUR_NAMES, parseFlavour } from './flavours.ts';
import { isHealthy } from './health.ts';
import { clusterOption, type ImageSource } from './image-source.ts';
import { ensureNodeImage } from './node-image.ts';
import type { Progress } from './progress.ts';
import { readClusterState } from './state.ts';
import { removeTargets } from './targets.ts';

export interface Invocation {
  readonly cache: Cache;
  readonly progress: Progress;
  readonly subject: string | undefined;
  readonly source: ImageSource | undefined;
  readonly install: boolean;
}

type Command = (invocation: Invocation) => Promise<void>;

export const COMMANDS = { up, down, status, build, kubeconfig, clean } as const satisfies Record<string, Command>;

export function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

const EMBEDDED = 'embedded';

/** The control plane of `up embedded`; test runs have folders of their own beside it. */
function embeddedFolder(cache: Cache): string {
  return path.join(cache.root, 'embedded', 'shared');
}

async function up(invocation: Invocation): Promise<void> {
  const { cache, progress, install } = invocation;
  if (invocation.subject === EMBEDDED) {
    console.log(`export KUBECONFIG=${await upEmbedded(invocation)}`);
    return;
  }
  const flavour = parseFlavour(invocation.subject ?? '');
  const source = invocation.source ?? (await chooseSource(progress));
  const state = await ensureCluster(cache, progress, flavour, { source, install });
  console.log(`export KUBECONFIG=${state.kubeconfigPath}`);
}

async function chooseSource(progress: Progress): Promise<ImageSource> {
  const option = await clusterOption();
  if (!option.possible) throw new ScriptError('EngineMissing', option.why);
  progress.note(option.why);
  return option.source;
}

async function upEmbedded({ cache, progress }: Invocation): Promise<string> {
  const folder = embeddedFolder(cache);
  const running = await attachEmbedded(folder).catch(() => undefined);
  if (running !== undefined && (await running.isReady())) return running.kubeconfigPath;
  const binaries = await ensureBinaries(cache, BINARY_GROUPS.embedded, progress);
  const started = await progress.step('start the embedded control plane', () =>
    startEmbedded({ folder, binaries, lifetime: 'detached' }),
  );
  return started.kubeconfigPath;
}

async function down({ cache, progress, subject }: Invocation): Promise<void> {
  const isAll = subject === undefined;
  if (isAll || subject === EMBEDDED) await downEmbedded(cache);
  if (subject === EMBEDDED) return;
  const engine = await findEngine();
  if (engine === undefined) {
    if (isAll) return;
    throw new ScriptError('EngineMissing', 'no container engine answers, so no cluster can be removed');
  }
  const workshop = { cache, engine, progress };
  for (const flavour of isAll ? FLAVOUR_NAMES : [parseFlavour(subject)]) {
    await progress.step(`remove ${flavour}`, () => removeCluster(workshop, flavour));
  }
  if (isAll) await removeTargets(engine);
}

async function downEmbedded(cache: Cache): Promise<void> {
  const folder = embeddedFolder(cache);
  const running = await attachEmbedded(folder).catch(() => undefined);
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function status({ cache }: Invocation): Promise<void> {
  const embedded = await attachEmbedded(embeddedFolder(cache)).catch(() => undefined);
  const rows = [[EMBEDDED, embedded !== undefined && (await embedded.isReady()) ? 'running' : 'absent']];
  for (const flavour of FLAVOUR_NAMES) {
    const state = await readClusterState(cache, flavour);
    rows.push([flavour, state === undefined ? 'absent' : (await isHealthy(state)) ? 'running' : 'not healthy']);
  }
  for (const [name = '', value] of rows) console.log(`${name.padEnd(14)}${value}`);
  const option = await clusterOption();
  const speed = option.possible && option.quick ? 'soon' : 'after a long build';
  console.log(`\ncache:    ${cache.root}`);
  console.log(`clusters: ${option.possible ? `possible ${speed}` : 'not possible'} (${option.why})`);
}

async function build(invocation: Invocation): Promise<void> {
  const { cache, progress, install, subject = 'all' } = invocation;
  const groups = Object.keys(BINARY_GROUPS) as (keyof typeof BINARY_GROUPS)[];
  if (![...groups, 'images', 'all'].includes(subject)) {
    throw new ScriptError(
      'BadUsage',
      `unknown group "${subject}": choose one of ${[...groups, 'images', 'all'].join(', ')}`,
    );
  }
  for (const group of groups) {
    if (subject === 'all' || subject === group) await ensureBinaries(cache, BINARY_GROUPS[group], progress);
  }
  if (subject !== 'all' && subject !== 'images') return;
  const engine = await ensureEngine(progress, install);
  await prepareBuildHost(progress);
  const workshop = { cache, engine, progress };
  for (const ensure of [ensureNodeImage, ensureCiliumImage]) console.log(await ensure(workshop));
  console.log(await ensureTestClientImage(workshop, 'source'));
}

async function kubeconfig({ cache, subject = '' }: Invocation): Promise<void> {
  const running =
    subject === EMBEDDED
      ? await attachEmbedded(embeddedFolder(cache))
      : await readClusterState(cache, parseFlavour(subject));
  if (running === undefined) throw new ScriptError('NotReady', `${subject} is not up: run "up ${subject}" first`);
  console.log(running.kubeconfigPath);
}

async function clean(invocation: Invocation): Promise<void> {
  // Its processes would live on without the data that they are found by.
  await removeEmbeddedDemo(invocation.cache);
  await down({ ...invocation, subject: undefined });
  const engine = await findEngine();
  if (engine !== undefined) {
    const filter = ['--filter', 'reference=localhost/agentplane/*', '--format', '{{.Repository}}:{{.Tag}}'];
    const images = (await run(engine.command, ['images', ...filter])).split('\n').filter(Boolean);
    if (images.length > 0) await tryRun(engine.command, ['rmi', '-f', ...images]);
  }
  await rm(invocation.cache.root, { recursive: true, force: true });
}
