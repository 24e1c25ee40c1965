/** A cluster as the user of the command line sees it: by their kubeconfig, and by their rights. Reads only. */
import type { Client, ListOptions } from '../kube/client.ts';
import { createClient } from '../kube/create-client.ts';
import { isKubeError, type KubeError } from '../kube/errors.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { resourceName } from '../kube/types.ts';
import { loadUserKubeConfig } from '../kube/user-kube-config.ts';
import { PRODUCT_VERSION } from '../version.ts';
import type { Flag, FlagValues } from './flags.ts';

const REQUEST_TIMEOUT_MS = 30_000;

export const clusterFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    value: 'FILE',
    description: 'the kubeconfig; else KUBECONFIG, or the one in the home folder',
    default: '',
  },
  { name: 'context', value: 'NAME', description: 'the context of it; else the current one', default: '' },
];

export interface Cluster {
  /** Of the context. */
  readonly namespace: string;
  /** Every object; throws an `Error` that says which right is missing, or which API. */
  list(resource: Resource, options: Pick<ListOptions, 'namespace'>): Promise<readonly KubeObject[]>;
  /** The same; `undefined` where the API is not served. */
  listIfServed(resource: Resource, options: Pick<ListOptions, 'namespace'>): Promise<readonly KubeObject[] | undefined>;
}

/** Connects for as long as `use` runs. */
export async function withCluster<T>(flags: FlagValues, use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const { kubeConfig, namespace } = loadUserKubeConfig({
    file: flags.given('kubeconfig') ? flags.text('kubeconfig') : undefined,
    context: flags.given('context') ? flags.text('context') : undefined,
  });
  const userAgent = `agentplane/${PRODUCT_VERSION}`;
  const client = createClient({ kubeConfig, userAgent, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  try {
    return await use(clusterOf(client, namespace));
  } finally {
    await client.close();
  }
}

function clusterOf(client: Client, namespace: string): Cluster {
  const listIfServed: Cluster['listIfServed'] = async (resource, options) => {
    try {
      return (await client.list(resource, options)).items;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw isKubeError(error, 'Forbidden') ? new Error(missingRight(error, resource)) : error;
    }
  };
  return {
    namespace,
    listIfServed,
    list: async (resource, options) => {
      const items = await listIfServed(resource, options);
      if (items !== undefined) return items;
      throw new Error(`this cluster does not serve ${resourceName(resource)}: install the chart agentplane-crds`);
    },
  };
}

function missingRight({ attempt }: KubeError, resource: Resource): string {
  const where = attempt.namespace === undefined ? 'in all namespaces' : `in namespace ${attempt.namespace}`;
  return `you may not ${attempt.verb} ${resourceName(resource)} ${where}: ask for the verb "${attempt.verb}" on it`;
}
