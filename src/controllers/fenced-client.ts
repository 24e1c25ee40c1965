/**
 * A client that writes only while the process leads: the lease is looked at right before the first byte of each write. What was sent is waited
 * for, also when the work is to end: the lease is given back after it, and whoever leads then sees it.
 */
import type { Client, WriteOptions } from '../kube/client.ts';
import type { Elector } from '../kube/lease.ts';

export function fencedClient(client: Client, elector: Pick<Elector, 'assertLeading'>): Client {
  const fenced = <T extends Pick<WriteOptions, 'signal' | 'beforeSend'>>({ signal, ...options }: T) => ({
    ...options,
    beforeSend: () => {
      signal?.throwIfAborted();
      elector.assertLeading();
    },
  });
  return {
    get: client.get.bind(client),
    getMetadata: client.getMetadata.bind(client),
    list: client.list.bind(client),
    watch: client.watch.bind(client),
    getJson: client.getJson.bind(client),
    close: client.close.bind(client),
    create: (resource, object, options) => client.create(resource, object, fenced(options)),
    apply: (resource, object, options) => client.apply(resource, object, fenced(options)),
    mergePatch: (resource, ref, patch, options) => client.mergePatch(resource, ref, patch, fenced(options)),
    delete: (resource, ref, preconditions, options = {}) =>
      client.delete(resource, ref, preconditions, fenced(options)),
  };
}
