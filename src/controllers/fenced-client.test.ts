import { describe, expect, it } from 'vitest';
import type { Client, WriteOptions } from '../kube/client.ts';
import { NotLeadingError } from '../kube/lease.ts';
import { fencedClient } from './fenced-client.ts';
import { NETWORK_POLICIES } from './resources.ts';

function write(isLeading: () => boolean) {
  const sent: Pick<WriteOptions, 'signal' | 'beforeSend'>[] = [];
  const client = {
    create: async (_r: unknown, object: unknown, options: WriteOptions) => sent.push(options) && object,
  };
  for (const name of ['get', 'getMetadata', 'list', 'watch', 'getJson', 'close'])
    Object.assign(client, { [name]: () => undefined });
  const assertLeading = () => {
    if (!isLeading()) throw new NotLeadingError('no');
  };
  const stop = new AbortController();
  const fenced = fencedClient(client as unknown as Client, { assertLeading });
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a', namespace: 'b' } };
  void fenced.create(NETWORK_POLICIES, object, { fieldManager: 'test', signal: stop.signal });
  const [options] = sent;
  return { stop, options, beforeSend: () => options?.beforeSend?.() };
}

describe('a fenced write', () => {
  it('is not cut once it is sent, though the work is to end', () => {
    const { options, beforeSend } = write(() => true);
    expect(beforeSend).not.toThrow();
    expect(options).not.toHaveProperty('signal');
  });

  it('is not begun once the work is to end', () => {
    const { stop, beforeSend } = write(() => true);
    stop.abort();
    expect(beforeSend).toThrow('aborted');
  });

  it('is not begun by a process that does not lead', () => {
    expect(write(() => false).beforeSend).toThrow(NotLeadingError);
  });
});
