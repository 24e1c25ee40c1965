/**
 * What the types of `@kubernetes-models` say against an object, unknown fields first: the schemas of the same packages are validators that
 * let those pass. A literal is judged by the compiler, which refuses in it whatever its type does not list, at any depth.
 */
import path from 'node:path';
import ts from 'typescript';
import type { JsonMap } from '../../../constructs/expr/json.ts';

/** Where the type is: `import type { I<kind> } from '<module>'`. */
export interface ModelOf {
  readonly kind: string;
  readonly module: string;
}

export interface Judged {
  readonly model: ModelOf;
  readonly object: JsonMap;
}

/** What is said of a field that the type does not list. */
export const UNKNOWN_FIELD = /does not exist in type/;

/** Exists only for the compiler, which finds packages from where it would be. */
const FILE = path.join(import.meta.dirname, 'strict-models.virtual.ts');
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2024.d.ts'],
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** What is wrong with each, in the order given: nothing where it is what its type takes. One compilation for all, since it takes a second. */
export function judgeStrictly(judged: readonly Judged[]): readonly (readonly string[])[] {
  // One line for each, so that a line says which one it is.
  const text = judged.map(({ model, object }) => lineOf(model, object)).join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, target, ...rest) =>
    name === FILE ? ts.createSourceFile(name, text, target) : getSourceFile(name, target, ...rest);
  const program = ts.createProgram({ rootNames: [FILE], options: OPTIONS, host });
  const found = judged.map((): string[] => []);
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
    // Of another file, or of none: nothing that was asked, so nothing that may be passed over.
    if (diagnostic.file?.fileName !== FILE) throw new Error(`the types could not be read: ${message}`);
    found[diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line]?.push(message);
  }
  return found;
}

function lineOf({ kind, module }: ModelOf, object: JsonMap): string {
  return `(${JSON.stringify(object)}) satisfies import('${module}').I${kind};`;
}
