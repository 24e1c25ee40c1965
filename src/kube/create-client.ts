import type { KubeConfig } from '@kubernetes/client-node';
import type { Client } from './client.ts';
import { type CallContext, readMethods } from './client-reads.ts';
import { writeMethods } from './client-writes.ts';
import { type Clock, systemClock } from './clock.ts';
import { createConnections } from './connections.ts';
import { credentialSource } from './credentials.ts';
import { createTransport, type RequestObservation } from './transport.ts';

export interface ClientOptions {
  /** Its current context is used. Load it with client-node: `loadFromCluster` in a pod, `loadFromDefault` elsewhere. */
  readonly kubeConfig: KubeConfig;
  readonly userAgent: string;
  readonly requestTimeoutMs: number;
  /** Called once per call, for metrics. Must not throw. */
  readonly onRequest?: ((observation: RequestObservation) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Throws a plain `Error` when the kubeconfig names no usable cluster: that is a mistake of the deployment, not a failed call. */
export function createClient(options: ClientOptions): Client {
  const connections = createConnections();
  const transport = createTransport({
    credentials: credentialSource(options.kubeConfig),
    connections,
    clock: options.clock ?? systemClock(),
    userAgent: options.userAgent,
    onRequest: options.onRequest,
  });
  const context: CallContext = { transport, requestTimeoutMs: options.requestTimeoutMs };
  return {
    ...readMethods(context),
    ...writeMethods(context),
    close: () => connections.destroy(),
  };
}
