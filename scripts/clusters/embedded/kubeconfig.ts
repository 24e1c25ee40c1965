import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

export interface Endpoint {
  readonly url: string;
  readonly authorityPath: string;
}

/** The `user` of a kubeconfig: fields as in client.authentication of kubernetes/client-go tools/clientcmd/api/v1. */
export type Credentials = Readonly<Record<string, string | readonly string[]>>;

export async function certificateCredentials(paths: {
  readonly certificatePath: string;
  readonly keyPath: string;
}): Promise<Credentials> {
  return {
    'client-certificate-data': await base64(paths.certificatePath),
    'client-key-data': await base64(paths.keyPath),
  };
}

/** Writes a self-contained kubeconfig that only its owner can read. JSON is YAML, so no template is needed. */
export async function writeKubeconfig(file: string, endpoint: Endpoint, user: Credentials): Promise<string> {
  const cluster = { server: endpoint.url, 'certificate-authority-data': await base64(endpoint.authorityPath) };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'user' } }],
    'current-context': 'embedded',
  };
  const partial = `${file}.${randomUUID()}`;
  await writeFile(partial, `${JSON.stringify(kubeconfig, null, 2)}\n`, { mode: 0o600 });
  await rename(partial, file);
  return file;
}

async function base64(file: string): Promise<string> {
  return (await readFile(file)).toString('base64');
}
