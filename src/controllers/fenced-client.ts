/** A client that writes only while the process leads: the lease is looked at right before the first byte of each write. */
import type { Client } from '../kube/client.ts';
import type { Elector } from '../kube/lease.ts';

export function fencedClient(client: Client, elector: Pick<Elector, 'assertLeading'>): Client {
  const beforeSend = () => elector.assertLeading();
  return {
    get: client.get.bind(client),
    getMetadata: client.getMetadata.bind(client),
    list: client.list.bind(client),
    watch: client.watch.bind(client),
    getJson: client.getJson.bind(client),
    close: client.close.bind(client),
    create: (resource, object, options) => client.create(resource, object, { ...options, beforeSend }),
    apply: (resource, object, options) => client.apply(resource, object, { ...options, beforeSend }),
    mergePatch: (resource, ref, patch, options) => client.mergePatch(resource, ref, patch, { ...options, beforeSend }),
    delete: (resource, ref, preconditions, options) =>
      client.delete(resource, ref, preconditions, { ...options, beforeSend }),
  };
}
