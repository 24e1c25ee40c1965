/** Command-line flags: parsed once, checked at once, and every mistake named together with what would be right. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../text/nearest.ts';

export interface Flag {
  readonly name: string;
  /** Shown in the help, such as `NAME` or `N`. Absent: a switch, which takes no value and is off unless given. */
  readonly value?: string;
  readonly description: string;
  /** Absent for a flag with a value: required. */
  readonly default?: string;
  /** A single letter. */
  readonly short?: string;
  /** May be given again, and takes the arguments that belong to no flag: what a shell makes of `*.yaml`. */
  readonly many?: true;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The values of a command's flags. Readers throw `UsageError` with the flag's name. */
export interface FlagValues {
  text(name: string): string;
  /** Whether it was given at all: the value of a switch. */
  given(name: string): boolean;
  /** Every value of a flag that may be given again. */
  all(name: string): readonly string[];
  /** Comma-separated, without empty items. */
  list(name: string): readonly string[];
  integer(name: string, bounds: { readonly min: number; readonly max: number }): number;
  boolean(name: string): boolean;
  oneOf<const T extends string>(name: string, values: readonly T[]): T;
  /** `key=value` pairs, comma-separated. */
  pairs(name: string): Readonly<Record<string, string>>;
}

export function parseFlags(flags: readonly Flag[], args: readonly string[]): FlagValues {
  const given = givenValues(flags, args);
  const values = new Map(
    flags.map((flag) => [flag.name, given.get(flag.name) ?? (flag.default === undefined ? [] : [flag.default])]),
  );
  const missing = flags.filter(({ name, value }) => value !== undefined && values.get(name)?.length === 0);
  if (missing.length > 0) throw new UsageError(`missing: ${missing.map(({ name }) => `--${name}`).join(', ')}`);
  return readersOf((name) => values.get(name) ?? [], given);
}

/** A switch that is given has the value `true`. */
function givenValues(flags: readonly Flag[], args: readonly string[]): Map<string, readonly string[]> {
  const many = flags.find((flag) => flag.many);
  const given = new Map<string, readonly string[]>();
  const add = (name: string, value: string) => given.set(name, [...(given.get(name) ?? []), value]);
  const options = Object.fromEntries(
    flags.map(({ name, value, short }) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }];
    }),
  );
  // Not strict: the messages of node name neither the nearest flag nor what a value would be.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (many === undefined) throw new UsageError(`"${token.value}" belongs to no flag`);
      add(many.name, token.value);
      continue;
    }
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) throw new UsageError(unknownFlag(token.rawName, flags));
    if (!flag.many && given.has(flag.name)) throw new UsageError(`--${flag.name} is given twice`);
    add(flag.name, flagValue(flag, token));
  }
  return given;
}

function flagValue(
  flag: Flag,
  token: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
) {
  if (flag.value === undefined) {
    if (token.value !== undefined) throw new UsageError(`--${flag.name} takes no value`);
    return 'true';
  }
  // A forgotten value must not swallow the next flag. A single dash is standard input.
  const swallowed = token.inlineValue === false && token.value !== '-' && token.value?.startsWith('-');
  if (token.value === undefined || swallowed) throw new UsageError(`--${flag.name} needs a value: ${flag.value}`);
  return token.value;
}

function unknownFlag(given: string, flags: readonly Flag[]): string {
  const names = flags.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  return `there is no flag ${given}${didYouMean(given, names)}`;
}

function readersOf(
  all: (name: string) => readonly string[],
  given: ReadonlyMap<string, readonly string[]>,
): FlagValues {
  const text = (name: string) => all(name)[0] ?? '';
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
    all,
    given: (name) => given.has(name),
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
  const left = flags.map(leftColumn);
  const width = Math.max(...left.map((text) => text.length));
  return flags.map((flag, i) => `  ${(left[i] ?? '').padEnd(width)}  ${flag.description}${note(flag)}`).join('\n');
}

function leftColumn({ name, value, short }: Flag): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? names : `${names} ${value}`;
}

function note({ value, default: fallback }: Flag): string {
  if (value === undefined || fallback === '') return '';
  return fallback === undefined ? ' (required)' : ` (default ${fallback})`;
}
