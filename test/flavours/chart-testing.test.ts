/**
 * chart-testing as a maintainer of charts runs it: `ct install --upgrade` on a real cluster, from the version released before this one, and
 * from this one to itself, with every fixture that a test cluster can run.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { run, tryRun } from '../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { INSTALL, openSite, type Site } from '../cluster/support/site.ts';
import { PLATFORM_NAMESPACE, removePlatform, restrictedNamespace, uninstallAgentPlane } from '../support/install.ts';
import { PREVIOUS_VERSION, previousChart } from '../support/releases.ts';

const CONFIG = path.join(REPOSITORY, 'test/chart/ct/install.yaml');
/** What the fixtures govern. */
const GOVERNED = ['agents', 'research'];

/**
 * Each chart, where it is installed, and the fixtures that are installed: of those that need nothing that this cluster lacks (nodes of a
 * pool, Prometheus, targets of a probe) the fullest.
 */
const CHARTS = [
  { chart: 'agentplane-crds', namespace: PLATFORM_NAMESPACE, fixtures: ['argo-cd'] },
  { chart: 'agentplane-cluster', namespace: PLATFORM_NAMESPACE, fixtures: ['two-installs'] },
  { chart: 'agentplane', namespace: INSTALL, fixtures: ['cilium'] },
] as const;

let site: Site;
let folder: string;
let ct: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  site = await openSite('cilium-no-l7');
  const { workshop, helmClient, kubectl } = site;
  await uninstallAgentPlane(helmClient, 'test');
  await removePlatform(helmClient);
  await kubectl.apply(GOVERNED.map(restrictedNamespace));
  const tools = await ensureBinaries(workshop.cache, ['ct', 'helm4', 'kubectl'], workshop.progress);
  ct = tools.ct;
  folder = await releasedThenCurrent();
  const programs = [await helmThatTakesOver(tools.helm4), path.dirname(tools.kubectl)];
  env = { KUBECONFIG: site.kubeconfigPath, PATH: [...programs, process.env.PATH].join(':') };
});

afterAll(async () => {
  await site?.kubectl.run('delete', 'namespace', ...GOVERNED, '--ignore-not-found', '--wait=false');
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  await site?.close();
});

/**
 * ct calls `helm` by name, and gives each release a name of its own. The CRDs outlive theirs, and the next one has to take them over: as
 * docs/operations.md tells whoever finds CRDs of another release. Returns the folder that it is in.
 */
async function helmThatTakesOver(helm: string): Promise<string> {
  const programs = path.join(folder, '.git', 'programs');
  await mkdir(programs);
  const script = `#!/bin/sh\n[ "$1" = install ] && exec '${helm}' "$@" --take-ownership\nexec '${helm}' "$@"\n`;
  await writeFile(path.join(programs, 'helm'), script, { mode: 0o755 });
  return programs;
}

/** A repository of charts: the version before on the branch `released`, this one checked out. Returns its path. */
async function releasedThenCurrent(): Promise<string> {
  const repository = await mkdtemp(path.join(tmpdir(), 'agentplane-ct-'));
  const git = (...args: readonly string[]) => run('git', ['-C', repository, ...args]);
  const commit = async (message: string) => {
    await git('add', '--all');
    await git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', message);
  };
  await git('init', '--quiet', '--initial-branch=released');
  for (const { chart, fixtures } of CHARTS) {
    await mkdir(path.join(repository, 'charts'), { recursive: true });
    await run('tar', ['-xzf', previousChart(chart), '-C', path.join(repository, 'charts')]);
    await copyFixtures(repository, chart, fixtures);
  }
  await commit('released');
  await git('remote', 'add', 'origin', repository);
  await git('fetch', '--quiet', 'origin');
  await git('checkout', '--quiet', '-b', 'current');
  for (const { chart, fixtures } of CHARTS) {
    await rm(path.join(repository, 'charts', chart), { recursive: true });
    const filter = (file: string) => path.basename(file) !== 'ci';
    await cp(path.join(REPOSITORY, 'charts', chart), path.join(repository, 'charts', chart), {
      recursive: true,
      filter,
    });
    await copyFixtures(repository, chart, fixtures);
  }
  await commit('current');
  return repository;
}

async function copyFixtures(repository: string, chart: string, fixtures: readonly string[]): Promise<void> {
  for (const fixture of fixtures) {
    const file = path.join('charts', chart, 'ci', `${fixture}-values.yaml`);
    await cp(path.join(REPOSITORY, file), path.join(repository, file));
  }
}

describe(`ct install --upgrade, from ${PREVIOUS_VERSION}`, () => {
  it.each(CHARTS)('$chart', async ({ chart, namespace, fixtures }) => {
    const { repository: image, tag } = site.image;
    const set =
      chart === 'agentplane' ? ['--helm-extra-set-args', `--set=image.repository=${image},image.tag=${tag}`] : [];
    const where = ['--namespace', namespace];
    const args = ['install', '--config', CONFIG, '--charts', `charts/${chart}`, ...where, ...set];
    const { code, stdout, stderr } = await tryRun(ct, args, { cwd: folder, env });
    expect(code, stdout + stderr).toBe(0);
    // ct takes a version before this one that cannot be installed for a reason to skip, not to fail.
    expect(stdout).not.toMatch(/skipp/i);
    const installed = [...stdout.matchAll(/with values file "[^"]*\/ci\/([^"/]+)-values.yaml"\.\.\./g)];
    // Each fixture three times: before an upgrade from the version before, before one to itself, and new.
    expect(installed.map(([, fixture]) => fixture).sort()).toEqual([...fixtures, ...fixtures, ...fixtures].sort());
  });
});
