/** The audit log as budgets read it: a request belongs to the interval in which it was received, whenever its answer is recorded. */
import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditMark, auditBetween } from '../support/auditLog.ts';
import type { ProvidedEmbedded } from '../support/control-plane.ts';

let embedded: ProvidedEmbedded;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'audit-'));
  embedded = { folder, auditLogPath: path.join(folder, 'audit.log') } as ProvidedEmbedded;
  await appendFile(embedded.auditLogPath, '');
});
afterEach(() => rm(embedded.folder, { recursive: true }));

const timeOf = (second: number) => `2030-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;

const record = (auditID: string, stage: 'RequestReceived' | 'ResponseComplete', received: number) =>
  appendFile(
    embedded.auditLogPath,
    `${JSON.stringify({ auditID, stage, verb: 'patch', requestReceivedTimestamp: timeOf(received) })}\n`,
  );

/** Made by a request that is received at `second`, while the log ended at `begin`, and answered now. */
async function markAt(second: number, begin?: number): Promise<AuditMark> {
  const { size } = await stat(embedded.auditLogPath);
  return { begin: begin ?? size, offset: size, time: timeOf(second) };
}

const idsBetween = async (from: AuditMark, to: AuditMark) =>
  (await auditBetween(embedded, from, to)).map(({ auditID }) => auditID);

describe('a write between two marks', () => {
  it('is counted, also where its answer is recorded after the second, and then in no later interval', async () => {
    const first = await markAt(1);
    await record('early', 'RequestReceived', 2);
    await record('early', 'ResponseComplete', 2);
    await record('late', 'RequestReceived', 3);
    const second = await markAt(4);
    await record('late', 'ResponseComplete', 3);
    const third = await markAt(5);
    expect(await idsBetween(first, second)).toEqual(['early', 'late']);
    expect(await idsBetween(second, third)).toEqual([]);
  });

  it('is waited for', async () => {
    const first = await markAt(1);
    await record('late', 'RequestReceived', 2);
    const second = await markAt(3);
    const counted = idsBetween(first, second);
    await record('late', 'ResponseComplete', 2);
    expect(await counted).toEqual(['late']);
  });

  it('is of the later interval where it was received while the mark was made', async () => {
    const first = await markAt(1);
    const { size: begin } = await stat(embedded.auditLogPath);
    await record('meanwhile', 'RequestReceived', 3);
    await record('meanwhile', 'ResponseComplete', 3);
    const second = await markAt(2, begin);
    const third = await markAt(4);
    expect(await idsBetween(first, second)).toEqual([]);
    expect(await idsBetween(second, third)).toEqual(['meanwhile']);
  });
});
