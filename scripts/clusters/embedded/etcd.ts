import { ScriptError } from '../../lib/errors.ts';

/** Throws the whole history of etcd away: whoever watches from an older revision is told that it is gone. Returns that revision. */
export async function compactEtcd(url: string): Promise<number> {
  const { header } = await call<{ readonly header: { readonly revision: string } }>(url, 'range', { key: 'AA==' });
  await call(url, 'compaction', { revision: header.revision, physical: true });
  return Number(header.revision);
}

/** The JSON gateway of etcd's gRPC API: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
async function call<T>(url: string, method: 'range' | 'compaction', body: object): Promise<T> {
  const response = await fetch(`${url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new ScriptError('NotReady', `etcd ${method}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
