import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { ScriptError } from '../lib/errors.ts';
import { run, succeeds } from '../lib/exec.ts';
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

const PACKAGES = {
  engine: ['podman', 'runc', 'crun', 'netavark', 'aardvark-dns', 'uidmap', 'iptables', 'nftables'],
  build: ['debootstrap', 'gcc', 'libc6-dev', 'openssl', 'procps', 'util-linux'],
} as const;

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
  const found = await findEngine();
  if (found !== undefined) return found;
  if (install && (await isDebianRoot())) {
    await progress.step('install podman', installPodman);
    const installed = await findEngine();
    if (installed !== undefined) return installed;
    throw new ScriptError('EngineMissing', 'podman is installed but "podman info" fails: run it to see why');
  }
  throw new ScriptError(
    'EngineMissing',
    'no container engine answers: start Docker, or install Podman 4 or newer (as root on Debian this is done for you)',
  );
}

/** Before anything is built from source: what only root on Debian can install, and what kind expects of the host. */
export async function prepareBuildHost(progress: Progress): Promise<void> {
  // Mounted into every node by kind, also where the kernel has no modules and so no such folder.
  await mkdir('/lib/modules', { recursive: true });
  if (await succeeds('debootstrap', ['--version'])) return;
  if (!(await isDebianRoot())) {
    throw new ScriptError(
      'ToolMissing',
      'node images can be built from source only on Debian as root (debootstrap); elsewhere a registry must be reachable',
    );
  }
  await progress.step('install build tools', (step) => aptInstall(PACKAGES.build, step));
}

async function installPodman(step: Step): Promise<void> {
  await aptInstall([...PACKAGES.engine, ...PACKAGES.build], step);
  await mkdir('/etc/containers', { recursive: true });
  const configured = await access(CONTAINERS_CONF).then(
    () => true,
    () => false,
  );
  if (!configured) await writeFile(CONTAINERS_CONF, CONTAINERS_CONF_TEXT);
}

async function aptInstall(packages: readonly string[], step: Step): Promise<void> {
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, logPath: step.logPath };
  await run('apt-get', ['update', '-q'], options);
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], options);
}

/** Whether packages can be installed here without asking anybody. */
export async function isDebianRoot(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID=debian$/m.test(release);
}
