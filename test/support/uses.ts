/**
 * What our identities asked a control plane for, from its audit log, and what the API server answered. Each level with control planes hands
 * it over at its end, to the level `rights`, which compares it with rbac/.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Identity } from '../../rbac/rules.ts';
import { USES_FOLDER } from '../../scripts/test/levels.ts';
import type { AuditEntry } from './auditLog.ts';

/** A request with the credentials of one of our accounts. */
export interface Use {
  readonly identity: Identity;
  /** The namespace of the account: where it is installed. */
  readonly home: string;
  /** Whether our own program asked, and not a test. */
  readonly byProgram: boolean;
  readonly allowed: boolean;
  /** In the API server's words: which binding of which role allowed it. Empty where nothing did. */
  readonly reason: string;
  readonly verb: string;
  readonly target: ResourceTarget | UrlTarget;
}

export interface ResourceTarget {
  readonly apiGroup: string;
  /** With the subresource, if there is one. */
  readonly resource: string;
  /** Empty for what belongs to the cluster. */
  readonly namespace: string;
  /** Empty where the request names none. */
  readonly name: string;
}

/** What is no resource. Without its query. */
export interface UrlTarget {
  readonly url: string;
}

/** What one control plane handed over. */
export interface HandedOver {
  readonly level: string;
  readonly uses: readonly Use[];
}

const ACCOUNT = /^system:serviceaccount:([^:]+):(agentplane-(?:operator|inventory|probe))$/;

/** Nothing for a request of somebody else, also where that is an administrator who asks in our name: tests do, of what they then refuse. */
export function useOf(entry: AuditEntry): Use | undefined {
  const { user, userAgent = '', verb, annotations = {} } = entry;
  const [, home, identity] = ACCOUNT.exec(user.username) ?? [];
  if (home === undefined || identity === undefined) return undefined;
  return {
    identity: identity as Identity,
    home,
    byProgram: userAgent.startsWith(`${identity}/`),
    allowed: annotations['authorization.k8s.io/decision'] === 'allow',
    reason: annotations['authorization.k8s.io/reason'] ?? '',
    verb,
    target: targetOf(entry),
  };
}

function targetOf({ objectRef, requestURI }: AuditEntry): Use['target'] {
  if (objectRef?.resource === undefined) return { url: requestURI.split('?', 1)[0] ?? '' };
  const { apiGroup = '', resource, subresource, namespace = '', name = '' } = objectRef;
  return { apiGroup, resource: subresource === undefined ? resource : `${resource}/${subresource}`, namespace, name };
}

/** Each once, whatever the stage: a watch that was cut off with its API server has no last one. Of what is only received, nothing is decided. */
export async function readUses(auditLog: string): Promise<readonly Use[]> {
  const found = new Map<string, Use>();
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    // Tens of megabytes, of which most is about others.
    if (!line.includes(':agentplane-')) continue;
    const entry = JSON.parse(line) as AuditEntry;
    const use = entry.stage === 'RequestReceived' ? undefined : useOf(entry);
    if (use !== undefined) found.set(JSON.stringify(use), use);
  }
  return [...found.values()];
}

/** Hands over what the control planes of a level have seen, if anybody wants it. */
export async function handOver(level: string, auditLogs: readonly string[]): Promise<void> {
  const folder = process.env[USES_FOLDER];
  if (folder === undefined) return;
  for (const [index, auditLog] of auditLogs.entries()) {
    const handed: HandedOver = { level, uses: await readUses(auditLog) };
    await writeFile(path.join(folder, `${level}-${index + 1}.json`), JSON.stringify(handed));
  }
}

/** Everything that the levels before this one have handed over: nothing where none has, or nobody asked them to. */
export async function handedOver(): Promise<readonly HandedOver[]> {
  const folder = process.env[USES_FOLDER];
  if (folder === undefined) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.map((text) => JSON.parse(text) as HandedOver);
}
