/** Refusals in words, for a person at a terminal. */
import { printable } from '../text/printable.ts';
import type { Explained } from './explain.ts';

export function nameOf({ kind, namespace, name }: Pick<Explained, 'kind' | 'namespace' | 'name'>): string {
  return printable(`${kind} ${namespace}/${name}`);
}

/** One block: the object, a line for each refusal with its file and line, and each way out once. Empty when nothing is refused. */
export function describeRefusals(item: Explained): string {
  if (item.refusals.length === 0) return '';
  const waysOut = new Set(item.refusals.flatMap(({ wayOut }) => wayOut ?? []));
  return [
    `${nameOf(item)} is refused:`,
    ...item.refusals.map((refusal) => `  ${item.file}:${refusal.line}: ${refusal.reason}: ${whatOf(refusal)}`),
    ...[...waysOut].map((wayOut) => `  way out: ${wayOut}`),
  ]
    .map(printable)
    .join('\n');
}

function whatOf({ rule, index, path, message }: Explained['refusals'][number]): string {
  if (rule === undefined) return path === 'spec' ? message : `${path}: ${message}`;
  return index === undefined ? `rule ${rule}: ${message}` : `rule ${rule}, ${item(path)} ${index}: ${message}`;
}

function item(path: string): string {
  return path.includes('.ports[') ? 'port' : 'destination';
}
