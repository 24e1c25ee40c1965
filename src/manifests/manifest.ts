/** An object as it was written in a file, and where. */
import type { KubeObject } from '../kube/types.ts';

/** Keys and positions from the object's root, such as `['spec', 'allow', 0]`. */
export type FieldPath = readonly (string | number)[];

export interface Source {
  /** As it was named on the command line, or below the folder that was. */
  readonly file: string;
  /** The line, from 1, of a field, or of the nearest field around it that exists. */
  line(path?: FieldPath): number;
}

export interface Manifest {
  readonly object: KubeObject;
  readonly source: Source;
  /** The API server makes the rest of its name, for which `%` stands, as in no name that exists: no two of them are the same object. */
  readonly isGenerated?: true;
}

/** Why an input cannot be used. `line` is from 1. */
export interface InputProblem {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** The input as a whole cannot be used: nothing was judged. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(describeInputProblem).join('\n'));
    this.problems = problems;
  }
}

export function describeInputProblem({ file, line, message }: InputProblem): string {
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

/** From `spec.allow[2].ports` to its keys and positions. A key that itself has a dot ends the part that is understood. */
export function parseFieldPath(path: string): FieldPath {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([key, position]) =>
    position === undefined ? key : Number(position),
  );
}
