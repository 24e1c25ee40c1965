/** Command-line flags: parsed once, checked at once, and every mistake named together with what would be right. */
import { parseArgs } from 'node:util';

export interface Flag {
  readonly name: string;
  /** Shown in the help, such as `NAME` or `N`. */
  readonly value: string;
  readonly description: string;
  /** Absent: required. */
  readonly default?: string;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The values of a command's flags. Readers throw `UsageError` with the flag's name. */
export interface FlagValues {
  text(name: string): string;
  /** Comma-separated, without empty items. */
  list(name: string): readonly string[];
  integer(name: string, bounds: { readonly min: number; readonly max: number }): number;
  boolean(name: string): boolean;
  oneOf<const T extends string>(name: string, values: readonly T[]): T;
  /** `key=value` pairs, comma-separated. */
  pairs(name: string): Readonly<Record<string, string>>;
}

export function parseFlags(flags: readonly Flag[], args: readonly string[]): FlagValues {
  const known = Object.fromEntries(flags.map(({ name }) => [name, { type: 'string' as const }]));
  let given: Readonly<Record<string, string | undefined>>;
  try {
    given = parseArgs({ args: [...args], options: known, allowPositionals: false, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const values = new Map(flags.map((flag) => [flag.name, given[flag.name] ?? flag.default]));
  const missing = flags.filter(({ name }) => values.get(name) === undefined).map(({ name }) => `--${name}`);
  if (missing.length > 0) throw new UsageError(`missing: ${missing.join(', ')}`);
  return readersOf((name) => values.get(name) ?? '');
}

function readersOf(text: (name: string) => string): FlagValues {
  const list = (name: string) =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const oneOf = <const T extends string>(name: string, values: readonly T[]): T => {
    const found = values.find((value) => value === text(name));
    if (found === undefined) throw new UsageError(`--${name}: "${text(name)}" is none of ${values.join(', ')}`);
    return found;
  };
  return {
    text,
    list,
    oneOf,
    boolean: (name) => oneOf(name, ['true', 'false']) === 'true',
    integer: (name, { min, max }) => {
      const value = Number(text(name));
      if (Number.isInteger(value) && text(name) !== '' && value >= min && value <= max) return value;
      throw new UsageError(`--${name}: "${text(name)}" is not a whole number from ${min} to ${max}`);
    },
    pairs: (name) =>
      Object.fromEntries(
        list(name).map((item) => {
          const [key, value, ...rest] = item.split('=');
          if (key === undefined || key === '' || value === undefined || rest.length > 0) {
            throw new UsageError(`--${name}: "${item}" is not KEY=VALUE`);
          }
          return [key, value];
        }),
      ),
  };
}

export function describeFlags(flags: readonly Flag[]): string {
  const left = flags.map(({ name, value }) => `--${name} ${value}`);
  const width = Math.max(...left.map((text) => text.length));
  return flags
    .map(({ description, default: fallback }, i) => {
      const note = fallback === undefined ? ' (required)' : fallback === '' ? '' : ` (default ${fallback})`;
      return `  ${(left[i] ?? '').padEnd(width)}  ${description}${note}`;
    })
    .join('\n');
}
