/**
 * Runs as a process of its own, parent of the three components: starts them, starts one again that has ended, and ends
 * them all when it is told to stop or when the process that started it is gone.
 *
 *   node supervisor.ts FOLDER parent|detached
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COMPONENTS, type Component, holdFile, type Layout, layoutOf, type Plan, type State } from './layout.ts';

/** Milliseconds between the end of a component and its next start. */
const RESTART_MS = 100;
/** Milliseconds a component may take to stop before it is killed. */
const STOP_MS = 5000;

class Supervisor {
  readonly #layout: Layout;
  readonly #plan: Plan;
  readonly #prefix: readonly string[];
  readonly #running = new Map<Component, ChildProcess>();
  #stopping = false;

  constructor(layout: Layout, plan: Plan) {
    this.#layout = layout;
    this.#plan = plan;
    // Linux only: the kernel ends the components even when this process is killed without a chance to do it.
    const setpriv = '/usr/bin/setpriv';
    this.#prefix = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  }

  async start(): Promise<void> {
    await Promise.all(COMPONENTS.map((component) => this.#keep(component)));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // In reverse, so that none of them spends its last seconds looking for another.
    for (const component of COMPONENTS.toReversed()) await this.#end(component);
  }

  async #keep(component: Component): Promise<void> {
    while (!this.#stopping) {
      if (existsSync(holdFile(this.#layout, component)) || !(await this.#mayStart(component))) await delay(50);
      else {
        await this.#runOnce(component);
        if (!this.#stopping) await delay(RESTART_MS);
      }
    }
  }

  /** The controller manager ends at once when it finds no API server; the API server itself waits for etcd. */
  async #mayStart(component: Component): Promise<boolean> {
    return component !== 'kube-controller-manager' || (await accepts(new URL(this.#plan.url)));
  }

  async #runOnce(component: Component): Promise<void> {
    const { command, args } = this.#plan.components[component];
    const [executable = command, ...rest] = [...this.#prefix, command, ...args];
    const log = openSync(path.join(this.#layout.logs, `${component}.log`), 'a');
    const child = spawn(executable, rest, { stdio: ['ignore', log, log] });
    this.#running.set(component, child);
    this.#writeState();
    await new Promise((done) => {
      child.once('exit', done);
      child.once('error', done);
    });
    this.#running.delete(component);
    this.#writeState();
  }

  async #end(component: Component): Promise<void> {
    const child = this.#running.get(component);
    if (child === undefined) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  #writeState(): void {
    const components = Object.fromEntries([...this.#running].map(([component, child]) => [component, child.pid]));
    const state: State = { supervisor: process.pid, components };
    writeFileSync(`${this.#layout.state}.partial`, JSON.stringify(state));
    renameSync(`${this.#layout.state}.partial`, this.#layout.state);
  }
}

function accepts(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const [folder = '', lifetime = 'parent'] = process.argv.slice(2);
const layout = layoutOf(folder);
const supervisor = new Supervisor(layout, JSON.parse(readFileSync(layout.plan, 'utf8')) as Plan);
const stop = (): void => void supervisor.stop().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
if (lifetime === 'parent') {
  // The pipe ends when the parent ends, however it ends.
  process.stdin.once('close', stop);
  process.stdin.resume();
}
await supervisor.start();
