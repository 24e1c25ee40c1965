/** A client that writes only while the process leads: the lease is looked at right before each write. */
import type { Client } from '../kube/client.ts';
import type { Elector } from '../kube/lease.ts';

export function fencedClient(client: Client, elector: Pick<Elector, 'assertLeading'>): Client {
  const fence = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      elector.assertLeading();
      return write(...args);
    };
  };
  return {
    get: client.get.bind(client),
    list: client.list.bind(client),
    watch: client.watch.bind(client),
    getJson: client.getJson.bind(client),
    close: client.close.bind(client),
    create: fence(client.create.bind(client)),
    apply: fence(client.apply.bind(client)),
    mergePatch: fence(client.mergePatch.bind(client)),
    delete: fence(client.delete.bind(client)),
  };
}
