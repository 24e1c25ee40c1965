import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { ScriptError } from '../../lib/errors.ts';
import { layoutOf } from './layout.ts';
import { issueClient } from './pki.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** Becomes cluster administrator by its group, as kubeadm's own admin does. */
export const ADMIN = { name: 'embedded-admin', groups: ['system:masters'] } as const;

/** One call as administrator on a connection of its own: nothing is kept that a restart of the API server could break. */
export async function callApi(folder: string, url: string, call: ApiCall): Promise<ApiAnswer> {
  const { pki } = layoutOf(folder);
  const { certificatePath, keyPath } = await issueClient(pki, ADMIN);
  const [ca, cert, key] = await Promise.all([`${pki}/ca.crt`, certificatePath, keyPath].map((file) => readFile(file)));
  const headers = { 'content-type': 'application/json', 'user-agent': 'agentplane-embedded' };
  const options = { method: call.method, ca, cert, key, headers, agent: false, timeout: 5000 };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(call.path, url), options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    outgoing.once('timeout', () => outgoing.destroy(new ScriptError('NotReady', `${url} does not answer`)));
    outgoing.once('error', reject);
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
}
