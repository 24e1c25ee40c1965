import { Agent } from 'undici';
import type { TlsMaterial } from './credentials.ts';

export interface Connections {
  /** The shared pool for this material; the same one until the bytes change. */
  agentFor(tls: TlsMaterial): Agent;
  /** Ends every connection, also those in use. */
  destroy(): Promise<void>;
}

/**
 * One pool of keep-alive connections per cluster. Reads no proxy variable and follows no redirect: a bearer token goes to the kubeconfig's
 * server or nowhere. After a CA or client certificate change the old pool finishes what it carries and closes.
 */
export function createConnections(): Connections {
  let current: { tls: TlsMaterial; agent: Agent } | undefined;
  const retiring = new Set<Agent>();
  const retire = (agent: Agent) => {
    retiring.add(agent);
    void agent
      .close()
      .catch(() => undefined)
      .finally(() => retiring.delete(agent));
  };
  return {
    agentFor: (tls) => {
      if (current === undefined || !sameTls(current.tls, tls)) {
        if (current !== undefined) {
          retire(current.agent);
        }
        current = { tls, agent: newAgent(tls) };
      }
      return current.agent;
    },
    destroy: async () => {
      const agents = [...retiring, ...(current === undefined ? [] : [current.agent])];
      current = undefined;
      await Promise.all(agents.map((agent) => agent.destroy()));
    },
  };
}

/** kube-apiserver drops idle connections after 90 s (staging/src/k8s.io/apiserver/pkg/server/secure_serving.go); leave before it does. */
const IDLE_CONNECTION_MS = 60_000;
/** Probes find a peer that vanished without a FIN; 30 s is what client-go uses and stays below common load balancer limits. */
const KEEP_ALIVE_PROBE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

function newAgent(tls: TlsMaterial): Agent {
  return new Agent({
    // One watch holds one connection; one HTTP/2 connection for all of them would make one stall everybody's.
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // Each call has its own deadline: a watch may be silent for longer than any fixed number here.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
      rejectUnauthorized: tls.rejectUnauthorized,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
      ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    },
  });
}

function sameTls(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    sameBytes(a.ca, b.ca) &&
    sameBytes(a.cert, b.cert) &&
    sameBytes(a.key, b.key) &&
    a.servername === b.servername &&
    a.rejectUnauthorized === b.rejectUnauthorized
  );
}

function sameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
