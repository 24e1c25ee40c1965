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

/** Validates and defaults a spec as the API server does with `fieldValidation=Strict`. */
export function parseSpec<Spec extends z.ZodObject>(
  kind: { readonly spec: Spec },
  value: unknown,
): Parsed<z.output<Spec>> {
  const result = kind.spec.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.map((issue) => ({ path: fieldPath(issue.path), message: issue.message })),
  };
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
  return path.reduce<string>(
    (out, part) => (typeof part === 'number' ? `${out}[${part}]` : `${out}.${String(part)}`),
    'spec',
  );
}
