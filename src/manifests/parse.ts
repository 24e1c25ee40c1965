/** From the text of a file to its objects: YAML or JSON, several documents, lists of objects. Pure. */
import { type Document, LineCounter, parseAllDocuments, type YAMLError } from 'yaml';
import { isKubeObject, isRecord } from '../kube/types.ts';
import { type Difference, differenceOfDocument, differencesOfText } from './dialect.ts';
import type { FieldPath, InputProblem, Manifest, Source } from './manifest.ts';

export interface ParsedText {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly InputProblem[];
}

export function parseManifests(file: string, text: string): ParsedText {
  const lines = new LineCounter();
  const problemAt = ({ offset, message }: Difference): InputProblem => ({
    file,
    line: lines.linePos(offset).line,
    message,
  });
  // `prettyErrors` would quote the file, which may hold anything.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const manifests: Manifest[] = [];
  const problems: InputProblem[] = differencesOfText(text).map(problemAt);
  if ('empty' in documents) problems.push(...faults(documents.errors, documents.warnings).map(problemAt));
  for (const [i, document] of documents.entries()) {
    const [error] = [...faults(document.errors), ...(i === 0 ? [] : unseparated(document))];
    if (error !== undefined) {
      problems.push(problemAt(error));
      continue;
    }
    const source = sourceIn(document, { file, lines });
    const value = toValue(document);
    if (!value.ok) problems.push(problemAt({ offset: document.contents?.range[0] ?? document.range[0], ...value }));
    // Between two separators there may be nothing, or a comment.
    else if (value.value !== null && value.value !== undefined) collect(value.value, source, { manifests, problems });
  }
  return { manifests, problems };
}

/** After `...` alone, kubectl reads nothing any more until there is a separator. */
function unseparated({ contents, directives }: Document.Parsed): readonly Difference[] {
  if (contents === null || directives.docStart === true) return [];
  return [{ offset: contents.range[0], message: 'kubectl reads no document without `---` before it: add one' }];
}

/** Of what it only warns, the parser says itself that others may read it otherwise. */
function faults(...found: readonly (readonly YAMLError[])[]): readonly Difference[] {
  return found.flat().map(({ pos, message }) => ({ offset: pos[0], message: firstLine(message) }));
}

type Value =
  | { readonly ok: true; readonly value: unknown }
  | ({ readonly ok: false } & Pick<Difference, 'message'> & Partial<Difference>);

/** Aliases may multiply, and nesting go too deep: the parser gives up on documents that grow out of bounds. */
function toValue(document: Document.Parsed): Value {
  try {
    const difference = differenceOfDocument(document) ?? faults(document.warnings)[0];
    return difference === undefined ? { ok: true, value: document.toJS() } : { ok: false, ...difference };
  } catch (error) {
    return { ok: false, message: firstLine(error instanceof Error ? error.message : String(error)) };
  }
}

function collect(
  value: unknown,
  source: Source,
  into: { readonly manifests: Manifest[]; readonly problems: InputProblem[] },
): void {
  const generated = withGeneratedName(value);
  const object = generated ?? value;
  if (isKubeObject(object) && Object.hasOwn(object, 'items') && !object.kind.endsWith('List')) {
    const message = `to kubectl and Helm, whatever has \`items\` is a list of them, and no ${object.kind}: use \`kind: List\`, or remove \`items\``;
    into.problems.push({ file: source.file, line: source.line(['items']), message });
    return;
  }
  if (isRecord(value) && Array.isArray(value.items)) {
    for (const [i, item] of value.items.entries()) collect(item, below(source, ['items', i]), into);
    return;
  }
  if (isKubeObject(object)) {
    into.manifests.push({ object, source, ...(generated === undefined ? {} : { isGenerated: true }) });
  } else into.problems.push({ file: source.file, line: source.line(), message: whyNoObject(value) });
}

/** With the name that the API server will make, as far as it is known. Undefined for one that has a name: an empty text is none. */
function withGeneratedName(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.metadata)) return undefined;
  const { name, generateName } = value.metadata;
  if ((name ?? '') !== '' || typeof generateName !== 'string' || generateName === '') return undefined;
  return { ...value, metadata: { ...value.metadata, name: `${generateName}%` } };
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
