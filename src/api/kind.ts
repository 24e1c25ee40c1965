/** A kind of the API: one constant from which types, validation, CRD and RBAC resource names are taken. */
import type * as z from 'zod';
import type { Rule, TransitionRule } from './dialect.ts';
import { API_VERSION, GROUP, VERSION } from './meta.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority?: number;
}

export interface KindOptions<Spec extends z.ZodObject | undefined, Status extends z.ZodObject> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  /** Undefined for a kind that only reports. */
  readonly spec: Spec;
  readonly status: Status;
  readonly columns: readonly PrinterColumn[];
  /** Rules about changes of the spec. */
  readonly transitions: readonly TransitionRule<Spec extends z.ZodObject ? z.output<Spec> : never>[];
  /** Rules about the name, checked by the API server at the root of the object. */
  readonly nameRules: readonly Rule<string>[];
}

export interface Kind<Spec extends z.ZodObject | undefined, Status extends z.ZodObject>
  extends KindOptions<Spec, Status> {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
}

export type AnyKind = Kind<z.ZodObject | undefined, z.ZodObject>;

export function defineKind<const Spec extends z.ZodObject | undefined, const Status extends z.ZodObject>(
  options: KindOptions<Spec, Status>,
): Kind<Spec, Status> {
  return { ...options, group: GROUP, version: VERSION, apiVersion: API_VERSION };
}

/** A problem of an object: where, and what to do about it. `path` is a field path such as `spec.allow[2].ports`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** What a person reads of one object; the rest is counted. */
const MAX_PROBLEMS = 64;

/** Validates and defaults a spec as the API server does with `fieldValidation=Strict`. No value of the spec is repeated in a problem. */
export function parseSpec<Spec extends z.ZodObject>(
  kind: { readonly spec: Spec },
  value: unknown,
): Parsed<z.output<Spec>> {
  const forged = protoKeys(value, []);
  if (forged.length > 0)
    return refuse(forged.map((path) => ({ path: fieldPath(path), message: 'no key may be __proto__' })));
  const result = kind.spec.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return refuse(result.error.issues.flatMap(problemsOf));
}

function refuse(problems: readonly Problem[]): Parsed<never> {
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return { ok: false, problems };
  return {
    ok: false,
    problems: [...problems.slice(0, MAX_PROBLEMS), { path: 'spec', message: `${more} more problems` }],
  };
}

/** Deeper than any schema: what is below is refused without being looked at. */
const MAX_DEPTH = 32;

/** Where a key is `__proto__`: zod leaves it out of a map without a word, and with it a requirement of a selector. */
function protoKeys(value: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return [];
  const below = Object.entries(value).flatMap(([key, member]) =>
    protoKeys(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return Object.hasOwn(value, '__proto__') ? [[...path, '__proto__'], ...below] : below;
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  // One problem per field, at its own path: zod lists the names in one message, as they are.
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: fieldPath([...issue.path, key]), message: 'unknown field' }));
  }
  return [{ path: fieldPath(issue.path), message: issue.message }];
}

/** The name rules and the update rules that `newSpec` breaks, given the stored `oldSpec` on updates. */
export function checkObject<Spec extends z.ZodObject, Status extends z.ZodObject>(
  kind: Kind<Spec, Status>,
  candidate: { readonly name: string; readonly spec: z.output<Spec>; readonly oldSpec?: z.output<Spec> },
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { check, message } of kind.nameRules) {
    if (!check(candidate.name)) problems.push({ path: 'metadata.name', message });
  }
  if (candidate.oldSpec === undefined) return problems;
  // The cast restores what the generic hides: transitions of a kind with a spec are rules over that spec.
  const transitions = kind.transitions as readonly TransitionRule<z.output<Spec>>[];
  for (const { check, message } of transitions) {
    if (!check(candidate.spec, candidate.oldSpec)) problems.push({ path: 'spec', message });
  }
  return problems;
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((out, part) => {
    if (typeof part === 'number') return `${out}[${part}]`;
    const key = String(part);
    return PLAIN_FIELD.test(key) ? `${out}.${key}` : `${out}[${quoted(key)}]`;
  }, 'spec');
}

const PLAIN_FIELD = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** A key that somebody else chose, so that it can stand in a message: of a bounded length, and nothing in it that a terminal obeys. */
function quoted(key: string): string {
  const shown = key.slice(0, 64).replace(/[^ -~]/g, (unit) => `\\u{${unit.charCodeAt(0).toString(16)}}`);
  return key.length > 64 ? `${shown}...` : shown;
}
