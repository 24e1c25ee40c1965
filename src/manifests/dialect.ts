/**
 * What kubectl, Helm and the API server read otherwise than we do: theirs is YAML 1.1, cut into documents before it is parsed, ours YAML 1.2.
 * It is refused, because whoever reads our answer would decide on another object than the one that the cluster gets. Pure.
 */
import { CST, type Document, isCollection, isNode, isScalar, Lexer, type Node, visit } from 'yaml';

/** `offset` is that in the text of the file. */
export interface Difference {
  readonly offset: number;
  readonly message: string;
}

/** Of each kind the first. */
export function differencesOfText(text: string): readonly Difference[] {
  const found = [foreignBreak(text), foreignSeparator(text)];
  return found.filter((difference) => difference !== undefined);
}

/** The first. `document` has no errors. */
export function differenceOfDocument(document: Document.Parsed): Difference | undefined {
  let found: Difference | undefined;
  visit(document, (position, node, around) => {
    found = isNode(node)
      ? (foreignTag(node) ?? (position === 'key' ? foreignMerge(node) : undefined) ?? foreignStart(node, around))
      : undefined;
    return found === undefined ? undefined : visit.BREAK;
  });
  return found;
}

/** Line breaks of YAML 1.1 that are none in 1.2: they end a comment. A byte order mark is skipped before a key. */
const FOREIGN_BREAK = /\r(?!\n)|[\u0085\u2028\u2029\uFEFF]/g;
const QUOTED: ReadonlySet<string | null> = new Set(['single-quoted-scalar', 'double-quoted-scalar']);
/** What the lexer says beside the parts of the text: it stands for no character. */
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** In quotes they may stay: there they are only text. */
function foreignBreak(text: string): Difference | undefined {
  let found = nextBreak(text, 0);
  let offset = 0;
  let isText = false;
  // The tree would not do: comments are not in it, and walking it takes a stack as deep as it is.
  for (const lexeme of found === undefined ? [] : new Lexer().lex(text)) {
    // After its mark, a scalar may be a text that looks like a mark.
    const isMark: boolean = !isText && MARKS.has(lexeme);
    const isQuoted = !isText && QUOTED.has(CST.tokenType(lexeme));
    isText = isMark && lexeme === CST.SCALAR;
    if (isMark) continue;
    offset += lexeme.length;
    if (found === undefined || found >= offset) continue;
    if (!isQuoted) break;
    found = nextBreak(text, offset);
  }
  if (found === undefined) return undefined;
  const code = text.charCodeAt(found).toString(16).toUpperCase().padStart(4, '0');
  const message = `the character U+${code} ends a line or is skipped for kubectl and Helm, which would read another object: remove it, or write it as "\\u${code}" in quotes`;
  return { offset: found, message };
}

function nextBreak(text: string, from: number): number | undefined {
  FOREIGN_BREAK.lastIndex = from;
  return FOREIGN_BREAK.exec(text)?.index;
}

/** kubectl and Helm cut wherever a line begins with it, also within quotes, and lose or refuse the rest of the line. */
const FOREIGN_SEPARATOR = /(?<=^|\n)---(?![ \t]*(?:\r?\n|$)|[ \t]+#)/;

function foreignSeparator(text: string): Difference | undefined {
  const offset = text.search(FOREIGN_SEPARATOR);
  const message = 'kubectl and Helm begin a document at `---`, and want nothing after it but a comment: use a new line';
  return offset === -1 ? undefined : { offset, message };
}

const TAG_PREFIX = 'tag:yaml.org,2002:';
/** Of these it is the same whether they are spelled out. The others make a text of what is none, or another text. */
const JSON_TAGS: ReadonlySet<string> = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq']);

function foreignTag(node: Node): Difference | undefined {
  const tag = 'tag' in node ? node.tag : undefined;
  if (tag === undefined) return undefined;
  const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : undefined;
  if (name !== undefined && JSON_TAGS.has(name)) return undefined;
  const written = name === undefined ? tag : `!!${name}`;
  return differenceAt(
    node,
    `the tag ${written} makes another value of what is written: write the value itself, without it`,
  );
}

/** To kubectl and Helm it overrides the keys before it, by the specification it does not; and of a key after it, they have to agree what it is. */
function foreignMerge(node: Node): Difference | undefined {
  if (!isScalar(node) || node.type !== 'PLAIN' || node.source !== '<<') return undefined;
  return differenceAt(node, 'a merge key (<<) overrides other keys or not: write out the keys that it brings');
}

/** In braces and brackets, YAML 1.1 takes these marks off a text, although no space is behind them. */
function foreignStart(node: Node, around: readonly unknown[]): Difference | undefined {
  if (!isScalar(node) || node.type !== 'PLAIN' || !/^[?:]/.test(node.source ?? '')) return undefined;
  if (!around.some((each) => isCollection(each) && each.flow === true)) return undefined;
  return differenceAt(
    node,
    'within braces or brackets, kubectl and Helm take `?` and `:` off the beginning: put the text in quotes',
  );
}

function differenceAt(node: unknown, message: string): Difference {
  return { offset: (isNode(node) && node.range?.[0]) || 0, message };
}
