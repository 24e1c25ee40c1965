import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Apt, withApt } from '../lib/apt.ts';
import { ScriptError } from '../lib/errors.ts';
import { succeeds } from '../lib/exec.ts';
import type { Progress, Step } from './progress.ts';

/** The container engine, and what kind has to be told about it. */
export interface Engine {
  readonly command: 'podman' | 'docker';
  readonly env: Readonly<Record<string, string>>;
}

const PODMAN: Engine = { command: 'podman', env: { KIND_EXPERIMENTAL_PROVIDER: 'podman' } };
const DOCKER: Engine = { command: 'docker', env: { KIND_EXPERIMENTAL_PROVIDER: 'docker' } };

/** A socket without a daemon behind it can keep a client waiting. */
const ANSWER_MS = 15_000;

const CONTAINERS_CONF = '/etc/containers/containers.conf';
/**
 * For a root without CAP_SYS_RESOURCE, which may not raise a limit above the default, and for hybrid cgroups, which
 * crun refuses. Harmless elsewhere.
 */
const CONTAINERS_CONF_TEXT = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=32768:32768"]
[engine]
runtime = "runc"
`;

const ENGINE_PACKAGES = ['podman', 'runc', 'crun', 'netavark', 'aardvark-dns', 'uidmap', 'iptables', 'nftables'];

/** Commands that builds call, and the packages that bring them. */
const BUILD_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  debootstrap: ['debootstrap'],
  gcc: ['gcc', 'libc6-dev'],
  openssl: ['openssl'],
  ps: ['procps'],
};

/**
 * The engine that answers: podman for root, which can then run privileged nodes without a daemon; else docker; else
 * podman without root. Undefined when none does.
 */
export async function findEngine(): Promise<Engine | undefined> {
  const isRoot = process.getuid?.() === 0;
  for (const engine of isRoot ? [PODMAN, DOCKER] : [DOCKER, PODMAN]) {
    if (await succeeds(engine.command, ['info'], { timeoutMs: ANSWER_MS })) return engine;
  }
  return undefined;
}

/** Returns the engine; with `install`, sets one up on a Debian machine as root. Throws `EngineMissing` otherwise. */
export async function ensureEngine(progress: Progress, install: boolean): Promise<Engine> {
  const maySetUp = install && (await isDebianRoot());
  // One that is being installed may answer before it is whole.
  const engine = await (maySetUp
    ? withApt(
        async (apt) => (await findEngine()) ?? progress.step('install podman', (step) => installEngine(apt, step)),
        waitingFor(progress),
      )
    : findEngine());
  if (engine === undefined) {
    throw new ScriptError(
      'EngineMissing',
      'no container engine answers: start Docker, or install Podman 4 or newer (as root on Debian this is done for you)',
    );
  }
  if (maySetUp && engine.command === 'podman') await configureHost();
  return engine;
}

function waitingFor(progress: Progress): (holder: number) => void {
  return (holder) => progress.note(`waiting for process ${holder}, which installs packages`);
}

async function installEngine(apt: Apt, step: Step): Promise<Engine> {
  await install(apt, ENGINE_PACKAGES, step);
  const installed = await findEngine();
  if (installed !== undefined) return installed;
  throw new ScriptError('EngineMissing', 'podman is installed but "podman info" fails: run it to see why');
}

/** Before anything is built from source: installs what is missing, where that is possible. Throws `ToolMissing`. */
export async function prepareBuildHost(progress: Progress): Promise<void> {
  if (await isDebianRoot()) {
    await withApt(async (apt) => {
      const missing = await missingPackages();
      if (missing.length > 0) await progress.step('install build tools', (step) => install(apt, missing, step));
    }, waitingFor(progress));
    return;
  }
  const missing = await missingPackages();
  if (missing.length === 0) return;
  throw new ScriptError(
    'ToolMissing',
    `building node images from source needs Debian, root, and: ${missing.join(', ')}; elsewhere a registry must answer`,
  );
}

async function missingPackages(): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const [command, packages] of Object.entries(BUILD_PACKAGES)) {
    if (!(await succeeds('which', [command]))) missing.push(...packages);
  }
  return missing;
}

/** What kind and an engine without all capabilities need; nothing that is there already is changed. */
async function configureHost(): Promise<void> {
  // Mounted into every node by kind, also where the kernel has no modules and so no such folder.
  await mkdir('/lib/modules', { recursive: true });
  await mkdir(path.dirname(CONTAINERS_CONF), { recursive: true });
  const configured = await access(CONTAINERS_CONF).then(
    () => true,
    () => false,
  );
  if (!configured) await writeFile(CONTAINERS_CONF, CONTAINERS_CONF_TEXT);
}

async function install(apt: Apt, packages: readonly string[], { logPath }: Step): Promise<void> {
  await apt(['update', '-q'], { logPath });
  await apt(['install', '-y', '-q', '--no-install-recommends', ...packages], { logPath });
}

/** Whether packages can be installed here without asking anybody. */
export async function isDebianRoot(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID=debian$/m.test(release);
}
