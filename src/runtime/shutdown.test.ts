import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import { installShutdown } from './shutdown.ts';

function setup() {
  const signals = new EventEmitter();
  const clock = createFakeClock();
  const exits: number[] = [];
  const shutdown = installShutdown({
    signals,
    clock,
    logger: createRecordingLogger(),
    graceMs: 5000,
    exit: (code) => exits.push(code),
  });
  return { signals, clock, exits, shutdown };
}

describe('SIGTERM and SIGINT', () => {
  it.each(['SIGTERM', 'SIGINT'])('%s aborts, and ends the process after the grace time', async (name) => {
    const { signals, clock, exits, shutdown } = setup();
    signals.emit(name);
    expect(shutdown.signal.aborted).toBe(true);
    await clock.advance(4999);
    expect(exits).toEqual([]);
    await clock.advance(1);
    expect(exits).toEqual([1]);
  });

  it('end the process at the second signal', () => {
    const { signals, exits } = setup();
    signals.emit('SIGTERM');
    signals.emit('SIGINT');
    expect(exits).toEqual([1]);
  });

  it('leave nothing behind when the program ends in time', async () => {
    const { signals, clock, exits, shutdown } = setup();
    signals.emit('SIGTERM');
    shutdown.dispose();
    await clock.advance(60_000);
    expect(exits).toEqual([]);
    expect(signals.eventNames()).toEqual([]);
  });
});

describe('SIGUSR1', () => {
  const importUrl = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const withHandler = `
    import { installShutdown } from ${importUrl('./shutdown.ts')};
    import { systemClock } from ${importUrl('../kube/clock.ts')};
    const logger = { info() {}, error() {}, debug() {}, warn: () => console.log('ignored') };
    const exit = (code) => process.exit(code);
    const { signal } = installShutdown({ signals: process, clock: systemClock(), logger, graceMs: 5000, exit });
    signal.addEventListener('abort', () => process.exit(0));
    setInterval(() => undefined, 1000);
    console.log('ready');
  `;
  const withoutHandler = `setInterval(() => undefined, 1000); console.log('ready');`;

  async function run(script: string): Promise<{ child: ChildProcess; output: () => string }> {
    const child = spawn(process.execPath, ['--inspect-port=0', '--input-type=module', '--eval', script]);
    const chunks: string[] = [];
    child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
    child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
    const output = () => chunks.join('');
    await vi.waitFor(() => expect(output()).toContain('ready'), { timeout: 30_000 });
    return { child, output };
  }

  it('opens no inspector', { timeout: 60_000 }, async () => {
    const { child, output } = await run(withHandler);
    child.kill('SIGUSR1');
    await vi.waitFor(() => expect(output()).toContain('ignored'), { timeout: 30_000 });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).not.toContain('Debugger listening');
  });

  it('would open one without the handler', { timeout: 60_000 }, async () => {
    const { child, output } = await run(withoutHandler);
    child.kill('SIGUSR1');
    await vi.waitFor(() => expect(output()).toContain('Debugger listening'), { timeout: 30_000 });
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});
