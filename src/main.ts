/** The entry point: `agentplane <command>`. Each command is its own identity and process. */
import { describeFlags, type Flag, type FlagValues, parseFlags, UsageError } from './commands/flags.ts';
import { inventoryFlags, runInventory } from './commands/inventory.ts';
import { operatorFlags, runOperator } from './commands/operator.ts';
import { PRODUCT_VERSION } from './version.ts';

interface Command {
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly run: (flags: FlagValues) => Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  operator: { summary: 'compiles policies and keeps them in force', flags: operatorFlags, run: runOperator },
  inventory: { summary: 'reports what the cluster can enforce', flags: inventoryFlags, run: runInventory },
};

function help(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return [
    'Usage: agentplane <command> [flags]',
    '',
    'Commands:',
    ...commands,
    '',
    '  agentplane <command> --help',
    '  agentplane --version',
  ].join('\n');
}

function commandHelp(name: string, { summary, flags }: Command): string {
  return [`Usage: agentplane ${name} [flags]`, '', `${name} ${summary}.`, '', 'Flags:', describeFlags(flags)].join(
    '\n',
  );
}

/** The exit code. 2 means that the command line is wrong. */
async function main(args: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (name === '--version') return print(`agentplane ${PRODUCT_VERSION}`);
  if (name === '--help' || name === '-h' || name === 'help') return print(help());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`there is no command "${name}"`);
  if (rest.includes('--help') || rest.includes('-h')) return print(commandHelp(name, command));
  return command.run(parseFlags(command.flags, rest));
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof UsageError ? '\nSee `agentplane --help`.' : '';
  process.stderr.write(`agentplane: ${message}${hint}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
