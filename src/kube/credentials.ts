import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { type Attempt, KubeError } from './errors.ts';
import { isRecord } from './types.ts';

/** What TLS needs. Compared by bytes, so that a rewritten but equal file does not cost the connections. */
export interface TlsMaterial {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly servername: string | undefined;
  /** Always explicit: left out, Node would obey NODE_TLS_REJECT_UNAUTHORIZED. */
  readonly rejectUnauthorized: boolean;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

export interface CredentialSource {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path before `/api`, without a trailing slash; empty for most clusters. */
  readonly basePath: string;
  current(attempt: Attempt): Promise<Credentials>;
  /** Forgets what was read, so that the next `current` reads the token again: for a 401 within the reader's cache time. */
  forget(): void;
}

/**
 * Credentials of the current context. client-node does the reading (in-cluster token file, exec plugins, OIDC, client certificates), but
 * through `applyToHTTPSOptions`: its request path builds a new connection pool for each call (ADR 0003).
 * Authenticators added to the given KubeConfig by hand are lost after `forget`.
 */
export function credentialSource(kubeConfig: KubeConfig): CredentialSource {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error('the kubeconfig has no current cluster: set current-context to a context whose cluster exists');
  }
  if (cluster.proxyUrl !== undefined) {
    throw new Error(
      `cluster "${cluster.name}" sets proxy-url, which this client does not support: use a direct server`,
    );
  }
  const url = serverUrl(cluster.name, cluster.server, cluster.skipTLSVerify === true);
  const rejectUnauthorized = cluster.skipTLSVerify !== true;
  let config = kubeConfig;
  return {
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    current: async (attempt) => credentialsFrom(await readOptions(config, attempt), rejectUnauthorized),
    forget: () => {
      config = copyOf(config);
    },
  };
}

function serverUrl(name: string, server: string, skipTlsVerify: boolean): URL {
  const url = URL.parse(server);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error(`cluster "${name}" has the server "${server}", which is not an http(s) URL`);
  }
  if (url.protocol === 'http:' && !skipTlsVerify) {
    throw new Error(`cluster "${name}" is plain http, which shows the token to the network: use https`);
  }
  return url;
}

/** A new KubeConfig has new authenticators, whose token caches are empty. */
function copyOf(config: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({
    clusters: config.clusters,
    users: config.users,
    contexts: config.contexts,
    currentContext: config.currentContext,
  });
  return copy;
}

async function readOptions(config: KubeConfig, attempt: Attempt): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
    return options;
  } catch (error) {
    throw new KubeError('Unauthorized', attempt, `the credentials could not be read: ${describeReadError(error)}`);
  }
}

/** Only a file error's own text is known to be free of what was read; an exec plugin's output is not. */
function describeReadError(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown error';
  }
  return 'syscall' in error ? error.message : error.name;
}

function credentialsFrom(options: RequestOptions, rejectUnauthorized: boolean): Credentials {
  const headers: Record<string, string> = {};
  const given: unknown = options.headers;
  for (const [name, value] of Object.entries(isRecord(given) ? given : {})) {
    // A token file may end in a newline, which is not allowed in a header.
    headers[name.toLowerCase()] = String(value).trim();
  }
  if (typeof options.auth === 'string') {
    headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  return {
    headers,
    tls: {
      ca: bytesOf(options.ca),
      cert: bytesOf(options.cert),
      key: bytesOf(options.key),
      servername: options.servername,
      rejectUnauthorized,
    },
  };
}

function bytesOf(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) {
    return value;
  }
  return typeof value === 'string' ? Buffer.from(value) : undefined;
}
