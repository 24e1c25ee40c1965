import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ScriptError } from '../../lib/errors.ts';
import { tryRun } from '../../lib/exec.ts';
import { hashValue } from '../../lib/hash.ts';
import { tail } from '../../lib/tail.ts';
import { waitFor, waitUntil } from '../../lib/wait-for.ts';
import { ADMIN, callApi } from './api.ts';
import { compactEtcd } from './etcd.ts';
import { type Credentials, certificateCredentials, writeKubeconfig } from './kubeconfig.ts';
import { COMPONENTS, type Component, holdFile, type Layout, layoutOf, type Plan, type State } from './layout.ts';
import { issueClient } from './pki.ts';
import { type ComponentBinaries, prepare } from './plan.ts';

/** Who a kubeconfig speaks for. `Impersonated` asks as administrator; the audit log then names both. */
export type Identity =
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'User'; readonly name: string; readonly groups: readonly string[] }
  | { readonly kind: 'Impersonated'; readonly name: string; readonly groups: readonly string[] };

export interface StartOptions {
  /** Is emptied first; all data, keys and logs go there. */
  readonly folder: string;
  readonly binaries: ComponentBinaries;
  /** `parent`: ends with the process that started it, however that ends. `detached`: runs until `stop()`. */
  readonly lifetime: 'parent' | 'detached';
}

const START_MS = 90_000;

/** Starts etcd, kube-apiserver and kube-controller-manager on loopback, and returns when namespaces work. */
export async function startEmbedded(options: StartOptions): Promise<EmbeddedControlPlane> {
  await stopLeftover(options.folder);
  const plan = await prepare(options.folder, options.binaries);
  const log = openSync(path.join(layoutOf(options.folder).logs, 'supervisor.log'), 'a');
  const own = options.lifetime === 'parent';
  const supervisor = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'supervisor.ts'), options.folder, options.lifetime],
    { stdio: [own ? 'pipe' : 'ignore', log, log], detached: true },
  );
  closeSync(log);
  supervisor.unref();
  // Neither may keep the parent alive: the pipe is there to be broken.
  if (supervisor.stdin !== null) (supervisor.stdin as unknown as { unref(): void }).unref();
  const controlPlane = new EmbeddedControlPlane(options.folder, plan.url);
  try {
    await controlPlane.waitReady(START_MS);
  } catch (error) {
    await controlPlane.stop();
    throw new ScriptError('NotReady', [messageOf(error), ...(await lastLines(options.folder))].join('\n'), {
      cause: error,
    });
  }
  return controlPlane;
}

async function lastLines(folder: string): Promise<string[]> {
  const names = ['supervisor', ...COMPONENTS].map((name) => path.join(layoutOf(folder).logs, `${name}.log`));
  const ends = await Promise.all(names.map(async (file) => [`${file}:`, ...(await tail(file)).slice(-3)]));
  return ends.flat().map((line) => `  ${line.slice(0, 300)}`);
}

/** Finds a control plane that another process has started. Throws `NotReady` when none was started there. */
export async function attachEmbedded(folder: string): Promise<EmbeddedControlPlane> {
  const plan = await readJson<Plan>(layoutOf(folder).plan);
  if (plan === undefined) throw new ScriptError('NotReady', `no embedded control plane in ${folder}: start one first`);
  return new EmbeddedControlPlane(folder, plan.url);
}

/** A running control plane. Everything about it is in its folder, so any process can hold one of these. */
export class EmbeddedControlPlane {
  readonly url: string;
  readonly folder: string;
  /** Kubeconfig of a member of system:masters. */
  readonly kubeconfigPath: string;
  /** One JSON object of audit.k8s.io/v1 per line. */
  readonly auditLogPath: string;
  readonly #layout: Layout;

  constructor(folder: string, url: string) {
    this.#layout = layoutOf(folder);
    this.folder = folder;
    this.url = url;
    this.kubeconfigPath = this.#layout.adminKubeconfig;
    this.auditLogPath = this.#layout.auditLog;
  }

  /** Until the API server is ready and the controller manager has filled the namespace `default`. */
  async waitReady(timeoutMs: number): Promise<void> {
    const what = `the embedded control plane (logs: ${this.#layout.logs})`;
    await waitFor(what, { timeoutMs, intervalMs: 100 }, async () => {
      for (const apiPath of ['/readyz', '/api/v1/namespaces/default/serviceaccounts/default']) {
        const answer = await callApi(this.folder, this.url, { method: 'GET', path: apiPath });
        if (answer.status !== 200)
          return { done: false, saw: `${apiPath}: ${answer.status} ${answer.body.slice(0, 300)}` };
      }
      return { done: true, value: undefined };
    });
  }

  /** Whether the API server is ready now. */
  async isReady(): Promise<boolean> {
    const answer = await callApi(this.folder, this.url, { method: 'GET', path: '/readyz' }).catch(() => undefined);
    return answer?.status === 200;
  }

  /** A token from the TokenRequest API, valid for `seconds` (at least 600). */
  async serviceAccountToken(namespace: string, name: string, seconds = 3600): Promise<string> {
    const apiPath = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } };
    const answer = await callApi(this.folder, this.url, { method: 'POST', path: apiPath, body });
    if (answer.status !== 201) {
      throw new ScriptError(
        'NotReady',
        `no token for ServiceAccount ${namespace}/${name}: ${answer.status} ${answer.body}`,
      );
    }
    return (JSON.parse(answer.body) as { status: { token: string } }).status.token;
  }

  /** Writes a kubeconfig for the identity and returns its path. The token of a ServiceAccount is valid for `tokenSeconds`. */
  async kubeconfigFor(identity: Identity, tokenSeconds?: number): Promise<string> {
    const name = `${identity.name.replaceAll(/[^\w.-]/g, '_')}-${hashValue(identity).slice(0, 8)}`;
    const file = path.join(this.folder, `${name}.kubeconfig`);
    const endpoint = { url: this.url, authorityPath: path.join(this.#layout.pki, 'ca.crt') };
    return writeKubeconfig(file, endpoint, await this.#credentials(identity, tokenSeconds));
  }

  /**
   * Kills the component; its supervisor starts it again. Returns when its new process runs and the API server is ready.
   * A kill, because an API server that is asked to stop waits a minute for the watches of others.
   *
   * Restart `kube-controller-manager` once after installing CRDs: garbage collection looks for new kinds only every 30 s
   * (kubernetes/kubernetes: cmd/kube-controller-manager/app/core.go), and at its start.
   */
  async restart(component: Component): Promise<void> {
    const before = (await this.#state())?.components[component];
    if (before !== undefined) process.kill(before, 'SIGKILL');
    await waitUntil(`a new ${component}`, { timeoutMs: START_MS, intervalMs: 50 }, async () => {
      const now = (await this.#state())?.components[component];
      return now !== undefined && now !== before;
    });
    await this.waitReady(START_MS);
  }

  /** Kills the component and keeps it down until the returned function is called, which waits until it is ready. */
  async takeDown(component: Component): Promise<() => Promise<void>> {
    await writeFile(holdFile(this.#layout, component), '');
    const pid = (await this.#state())?.components[component];
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await waitUntil(`${component} to end`, { timeoutMs: START_MS, intervalMs: 50 }, async () => {
      return (await this.#state())?.components[component] === undefined;
    });
    return async () => {
      await rm(holdFile(this.#layout, component));
      await this.waitReady(START_MS);
    };
  }

  /** Throws the history of etcd away. A watch of the API server's own cache does not notice before the API server is restarted. */
  async compact(): Promise<void> {
    const plan = await readJson<Plan>(this.#layout.plan);
    if (plan === undefined) throw new ScriptError('NotReady', `no embedded control plane in ${this.folder}`);
    await compactEtcd(plan.etcdUrl);
  }

  restartApiServer(): Promise<void> {
    return this.restart('kube-apiserver');
  }

  /** Ends all processes, in order. The folder with data and logs stays. */
  async stop(): Promise<void> {
    await stopLeftover(this.folder);
  }

  async #credentials(identity: Identity, tokenSeconds?: number): Promise<Credentials> {
    switch (identity.kind) {
      case 'ServiceAccount':
        return { token: await this.serviceAccountToken(identity.namespace, identity.name, tokenSeconds) };
      case 'User':
        return certificateCredentials(await issueClient(this.#layout.pki, identity));
      case 'Impersonated': {
        const asAdmin = await certificateCredentials(await issueClient(this.#layout.pki, ADMIN));
        return { ...asAdmin, as: identity.name, 'as-groups': identity.groups };
      }
    }
  }

  #state(): Promise<State | undefined> {
    return readJson<State>(this.#layout.state);
  }
}

/** A process id in an old state file may belong to somebody else by now: only what names this folder is ended. */
async function stopLeftover(folder: string): Promise<void> {
  const state = await readJson<State>(layoutOf(folder).state);
  if (state === undefined) return;
  const pids = [state.supervisor, ...COMPONENTS.map((component) => state.components[component])];
  for (const [index, pid] of pids.entries()) {
    if (pid === undefined || !(await belongsTo(pid, folder))) continue;
    process.kill(pid, index === 0 ? 'SIGTERM' : 'SIGKILL');
    await waitUntil(
      `process ${pid} to end`,
      { timeoutMs: 20_000, intervalMs: 50 },
      async () => !(await belongsTo(pid, folder)),
    );
  }
  await rm(layoutOf(folder).state, { force: true });
}

async function belongsTo(pid: number, folder: string): Promise<boolean> {
  return (await tryRun('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout.includes(folder);
}

async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
