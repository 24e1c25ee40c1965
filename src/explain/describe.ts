/** Refusals in words, for a person at a terminal. */
import { printable } from '../text/printable.ts';
import type { Explained } from './explain.ts';

export function nameOf({ kind, namespace, name }: Pick<Explained, 'kind' | 'namespace' | 'name'>): string {
  return printable(`${kind} ${namespace}/${name}`);
}

/** As much of what was explained as a refusal is told from. */
export type Refused = Pick<Explained, 'kind' | 'namespace' | 'name' | 'file' | 'refusals'>;

/** One block: the object, a line for each refusal with its file and line, and each way out once. Empty when nothing is refused. */
export function describeRefusals(item: Refused): string {
  if (item.refusals.length === 0) return '';
  return [
    `${nameOf(item)} is refused:`,
    ...item.refusals.map((refusal) => `  ${placeOf(item.file, refusal.line)}: ${refusal.reason}: ${whatOf(refusal)}`),
    ...waysOut(item),
  ]
    .map(printable)
    .join('\n');
}

function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Each once, for all the capabilities that it helps with. */
function waysOut({ refusals }: Refused): readonly string[] {
  const capabilities = new Map<string, Set<string>>();
  for (const { capability, wayOut } of refusals) {
    if (capability === undefined || wayOut === undefined) continue;
    capabilities.set(wayOut, (capabilities.get(wayOut) ?? new Set()).add(capability));
  }
  return [...capabilities].map(([wayOut, names]) => `  way out for ${[...names].join(', ')}: ${wayOut}`);
}

function whatOf({ rule, index, path, message }: Explained['refusals'][number]): string {
  if (rule === undefined) return path === 'spec' ? message : `${path}: ${message}`;
  return index === undefined ? `rule ${rule}: ${message}` : `rule ${rule}, ${item(path)} ${index}: ${message}`;
}

function item(path: string): string {
  return path.includes('.ports[') ? 'port' : 'destination';
}
