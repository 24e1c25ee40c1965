/** From the text of a file to its objects: YAML or JSON, several documents, lists of objects. Pure. */
import { type Document, isDocument, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { isKubeObject, isRecord } from '../kube/types.ts';
import type { FieldPath, InputProblem, Manifest, Source } from './manifest.ts';

export interface ParsedText {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly InputProblem[];
}

export function parseManifests(file: string, text: string): ParsedText {
  const lines = new LineCounter();
  const manifests: Manifest[] = [];
  const problems: InputProblem[] = [];
  for (const document of parseDocuments(text, lines)) {
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push({ file, line: lines.linePos(error.pos[0]).line, message: firstLine(error.message) });
      continue;
    }
    const source = sourceIn(document, { file, lines });
    const value = toValue(document);
    if (value.ok) collect(value.value, source, { manifests, problems });
    else problems.push({ file, line: source.line(), message: value.message });
  }
  return { manifests, problems };
}

function parseDocuments(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  // `merge`: kubectl reads `<<` as well. `prettyErrors` would quote the file, which may hold anything.
  const documents = parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false });
  return Array.isArray(documents) ? documents.filter((item) => isDocument<ParsedNode>(item)) : [];
}

type Value = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Aliases may multiply: the parser gives up on documents that grow out of bounds. */
function toValue(document: Document.Parsed): Value {
  try {
    return { ok: true, value: document.toJS() };
  } catch (error) {
    return { ok: false, message: firstLine(error instanceof Error ? error.message : String(error)) };
  }
}

function collect(
  value: unknown,
  source: Source,
  into: { readonly manifests: Manifest[]; readonly problems: InputProblem[] },
): void {
  // Between two separators there may be nothing, or a comment.
  if (value === null || value === undefined) return;
  if (isRecord(value) && typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items)) {
    for (const [i, item] of value.items.entries()) collect(item, below(source, ['items', i]), into);
    return;
  }
  if (isKubeObject(value)) into.manifests.push({ object: value, source });
  else into.problems.push({ file: source.file, line: source.line(), message: whyNoObject(value) });
}

function whyNoObject(value: unknown): string {
  if (!isRecord(value)) return 'this is no Kubernetes object: it has no fields';
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const missing = [
    ...(['apiVersion', 'kind'] as const).filter((key) => typeof value[key] !== 'string'),
    ...(typeof metadata.name === 'string' && metadata.name !== '' ? [] : ['metadata.name']),
  ];
  return `this is no Kubernetes object: it has no ${missing.join(', no ')}`;
}

function sourceIn(
  document: Document.Parsed,
  { file, lines }: { readonly file: string; readonly lines: LineCounter },
): Source {
  const lineAt = (path: FieldPath): number | undefined => {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    const range = isRecord(node) && Array.isArray(node.range) ? node.range : [];
    return typeof range[0] === 'number' ? lines.linePos(range[0]).line : undefined;
  };
  return {
    file,
    line: (path = []) => {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lineAt(path.slice(0, length));
        if (line !== undefined) return line;
      }
      return lineAt([]) ?? lines.linePos(document.range[0]).line;
    },
  };
}

function below(source: Source, prefix: FieldPath): Source {
  return { file: source.file, line: (path = []) => source.line([...prefix, ...path]) };
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
