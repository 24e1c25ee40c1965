#!/usr/bin/env node
/** The entry point: `agentplane <command>`. Each long-running command is its own identity and process. */
import { type Command, EXIT_ERROR } from './commands/command.ts';
import { describeFlags, parseFlags, UsageError } from './commands/flags.ts';
import { type Io, processIo } from './commands/io.ts';
import { didYouMean } from './text/nearest.ts';
import { PRODUCT_VERSION } from './version.ts';

interface Entry {
  readonly summary: string;
  /** Loaded when it is asked for: what one command needs (a cluster client, say) must not slow another down. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  explain: {
    summary: 'shows what policies would generate, or why they would be refused; needs no cluster',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  diff: {
    summary: 'shows what applying policies would change in what pods may reach; reads a cluster',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  status: {
    summary: 'lists the policies of a cluster: what is in force, and what stands in the way',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  'rbac-report': {
    summary: 'shows what each identity may do and what of it is dangerous, from rendered manifests or from a cluster',
    load: async () => (await import('./commands/rbac-report.ts')).rbacReportCommand,
  },
  operator: {
    summary: 'compiles policies and keeps them in force',
    load: async () => (await import('./commands/operator.ts')).operatorCommand,
  },
  inventory: {
    summary: 'reports what the cluster can enforce',
    load: async () => (await import('./commands/inventory.ts')).inventoryCommand,
  },
  probe: {
    summary: 'shows with packets what the cluster enforces, and reports it',
    load: async () => (await import('./commands/probe.ts')).probeCommand,
  },
};

function help(): string {
  const names = Object.keys(COMMANDS);
  const width = Math.max(...names.map((name) => name.length));
  return [
    'Usage: agentplane <command> [flags]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  agentplane <command> --help',
    '  agentplane --version',
  ].join('\n');
}

function commandHelp(name: string, summary: string, { flags, details }: Command): string {
  return [
    `Usage: agentplane ${name} [flags]`,
    '',
    `${name} ${summary}.`,
    '',
    'Flags:',
    describeFlags(flags),
    ...(details === undefined ? [] : ['', details]),
  ].join('\n');
}

async function main(args: readonly string[], io: Io): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (name === '--version') return say(`agentplane ${PRODUCT_VERSION}`, io);
  if (name === '--help' || name === '-h' || name === 'help') return say(help(), io);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined)
    throw new UsageError(`there is no command "${name}"${didYouMean(name, Object.keys(COMMANDS))}`);
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) return say(commandHelp(name, entry.summary, command), io);
  return command.run(parseFlags(command.flags, rest), io);
}

function say(text: string, io: Io): number {
  io.print(text);
  return 0;
}

const io = processIo(process);
try {
  process.exitCode = await main(process.argv.slice(2), io);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const [name = ''] = process.argv.slice(2);
  const hint =
    error instanceof UsageError ? `\nSee \`agentplane ${Object.hasOwn(COMMANDS, name) ? `${name} ` : ''}--help\`.` : '';
  io.note(`agentplane: ${message}${hint}`);
  process.exitCode = EXIT_ERROR;
}
