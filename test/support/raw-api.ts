/** Single requests to an API server in anybody's name, answered as they are: a refusal is an answer too. */
import https from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';

export interface ApiUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Of a PATCH. */
  readonly contentType?: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** The object, or the Status that says why not. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** As whoever the kubeconfig speaks for, or in the name of another user where it may impersonate. */
export type RawApi = (request: ApiRequest, as?: ApiUser) => Promise<ApiAnswer>;

export async function rawApi(kubeconfigPath: string): Promise<RawApi> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfigPath);
  const server = kubeConfig.getCurrentCluster()?.server ?? '';
  const tls: https.RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(tls);
  const agent = new https.Agent({
    keepAlive: true,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
  // A token, where there is no certificate.
  const own = tls.headers ?? {};
  return (request, as) =>
    send(new URL(request.path, server), request, { agent, headers: { ...own, ...impersonation(as) } });
}

function impersonation(as: ApiUser | undefined): Record<string, string | string[]> {
  return as === undefined ? {} : { 'Impersonate-User': as.name, 'Impersonate-Group': [...as.groups] };
}

function send(url: URL, { method, body, contentType }: ApiRequest, options: https.RequestOptions): Promise<ApiAnswer> {
  const headers = { ...options.headers, accept: 'application/json', 'content-type': contentType ?? 'application/json' };
  return new Promise((resolve, reject) => {
    const call = https.request(url, { ...options, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        } catch {
          reject(
            new Error(`${method} ${url.pathname}: answered ${response.statusCode} with no JSON: ${text.slice(0, 200)}`),
          );
        }
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
