import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { callApi } from '../../scripts/clusters/embedded/api.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import type { ProvidedEmbedded } from './control-plane.ts';

/** The fields of an audit.k8s.io/v1 Event that tests read. */
export interface AuditEntry {
  readonly auditID: string;
  /** Of a write, also `RequestReceived`: see audit-policy.ts. */
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string };
  readonly userAgent?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
}

/** Every field given must match; a list means any of them. */
export interface AuditFilter {
  /** User name; of an impersonated request, the impersonated one. */
  readonly user?: string;
  readonly verb?: string | readonly string[];
  readonly group?: string | readonly string[];
  readonly resource?: string | readonly string[];
  /** Empty for the object itself. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Verbs that can change an object. */
export const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
/** Verbs that only look, with watches, which are recorded when they begin and when they end. */
export const READS = ['get', 'list', 'watch'] as const;

/** A moment: what was received before it is on its one side, whenever that was answered. */
export interface AuditMark {
  /** Where the log ended before the mark was asked for. */
  readonly begin: number;
  /** Where it ended once the mark was in it. */
  readonly offset: number;
  /** When the API server received the request that made the mark. */
  readonly time: string;
}

/**
 * Marks the present. The API server writes its log in the order of answers, so the mark is made by a request of its
 * own: once that is in the log, whatever was answered before it is there too.
 */
export async function auditMark(embedded: ProvidedEmbedded): Promise<AuditMark> {
  const query = `/version?mark=${randomUUID()}`;
  const from = (await stat(embedded.auditLogPath)).size;
  await callApi(embedded.folder, embedded.url, { method: 'GET', path: query });
  return waitFor('the mark in the audit log', { timeoutMs: 10_000, intervalMs: 20 }, async () => {
    const { text } = await readFrom(embedded.auditLogPath, from);
    const at = text.indexOf(query);
    const end = text.indexOf('\n', at) + 1;
    if (at < 0 || end === 0) return { done: false, saw: `${text.length} characters without it` };
    const { requestReceivedTimestamp: time } = JSON.parse(
      text.slice(text.lastIndexOf('\n', at) + 1, end),
    ) as AuditEntry;
    return { done: true, value: { begin: from, offset: from + Buffer.byteLength(text.slice(0, end)), time } };
  });
}

/**
 * Completed requests that were received between two marks, or since one, oldest answer first; each has one such entry, at its end. What was
 * asked before the first mark is none of them, though it was answered after it and whoever made the mark saw what it wrote. A write is one of
 * them also where its answer is recorded after the second mark; Events are not waited for. A watch is one of them while it goes on.
 *
 * @throws Error where a write that was received is not answered
 */
export async function auditBetween(
  embedded: ProvidedEmbedded,
  from: AuditMark,
  to?: AuditMark,
): Promise<readonly AuditEntry[]> {
  // What was received while the mark was made may stand before it.
  const meanwhile = (await entriesOf(embedded, from.begin, from.offset)).filter(({ verb }) => verb !== 'watch');
  const recorded = [...meanwhile, ...(await entriesOf(embedded, from.offset, to?.offset))];
  const late = to === undefined ? [] : await lateAnswers(embedded, recorded, to);
  return [...recorded, ...late].filter(
    ({ stage, verb, requestReceivedTimestamp: time }) =>
      stage === 'ResponseComplete' && (verb === 'watch' || (time >= from.time && (to === undefined || time < to.time))),
  );
}

/** A server answers within milliseconds, on a machine that is in use within seconds. */
const ANSWER_MS = 30_000;

/** The answers that are recorded after the mark, to what was received before it. */
async function lateAnswers(
  embedded: ProvidedEmbedded,
  recorded: readonly AuditEntry[],
  mark: AuditMark,
): Promise<readonly AuditEntry[]> {
  const isReceived = ({ stage }: AuditEntry) => stage === 'RequestReceived';
  const answered = new Set(recorded.filter((entry) => !isReceived(entry)).map(({ auditID }) => auditID));
  const unanswered = recorded.filter(
    (entry) => isReceived(entry) && entry.requestReceivedTimestamp < mark.time && !answered.has(entry.auditID),
  );
  if (unanswered.length === 0) return [];
  const ids = new Set(unanswered.map(({ auditID }) => auditID));
  return waitFor('answers in the audit log', { timeoutMs: ANSWER_MS, intervalMs: 20 }, async () => {
    const late = (await entriesOf(embedded, mark.offset)).filter(({ auditID }) => ids.has(auditID));
    const found = new Set(late.map(({ auditID }) => auditID));
    const [missing] = unanswered.filter(({ auditID }) => !found.has(auditID));
    return missing === undefined
      ? { done: true, value: late }
      : { done: false, saw: `no answer to ${missing.verb} ${missing.requestURI} of ${missing.user.username}` };
  });
}

async function entriesOf(embedded: ProvidedEmbedded, from: number, to?: number): Promise<readonly AuditEntry[]> {
  const { text } = await readFrom(embedded.auditLogPath, from, to);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

/** The entries that match. */
export function auditMatching(entries: readonly AuditEntry[], filter: AuditFilter): readonly AuditEntry[] {
  return entries.filter((entry) => {
    const ref = entry.objectRef ?? {};
    return (
      allows(filter.user, entry.impersonatedUser?.username ?? entry.user.username) &&
      allows(filter.verb, entry.verb) &&
      allows(filter.group, ref.apiGroup ?? '') &&
      allows(filter.resource, ref.resource ?? '') &&
      allows(filter.subresource, ref.subresource ?? '') &&
      allows(filter.namespace, ref.namespace ?? '') &&
      allows(filter.name, ref.name ?? '')
    );
  });
}

/** How often each `verb group/resource[/subresource]` occurs, for messages and for comparison with a budget. */
export function auditCounts(entries: readonly AuditEntry[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb, objectRef } of entries) {
    const parts = [objectRef?.apiGroup, objectRef?.resource, objectRef?.subresource].filter(Boolean);
    const key = `${verb} ${parts.join('/')}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function allows(wanted: string | readonly string[] | undefined, found: string): boolean {
  return wanted === undefined || (typeof wanted === 'string' ? wanted === found : wanted.includes(found));
}

async function readFrom(file: string, from: number, to?: number): Promise<{ readonly text: string }> {
  const handle = await open(file, 'r');
  try {
    const length = (to ?? (await handle.stat()).size) - from;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(length, 0)), 0, Math.max(length, 0), from);
    return { text: buffer.subarray(0, bytesRead).toString('utf8') };
  } finally {
    await handle.close();
  }
}
