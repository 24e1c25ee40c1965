/** What an API server answers about the authority of whoever asks, and about what there is to ask for. */
import { AuthorizationV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Client } from '../../../src/kube/client.ts';
import { type Right, rightsOfRules, textsOf } from './chart-rights.ts';

export interface Access {
  /** SelfSubjectAccessReview. */
  can(right: Right): Promise<boolean>;
  /** SelfSubjectRulesReview: every right in the namespace, cluster-wide ones included, as `textOf` writes them, sorted. */
  holds(namespace: string): Promise<readonly string[]>;
}

export function accessOf(kubeconfigPath: string): Access {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfigPath);
  const api = kubeConfig.makeApiClient(AuthorizationV1Api);
  return {
    can: async ({ namespace = '', apiGroup, resource: path, verb, name = '' }) => {
      const [resource = '', subresource = ''] = path.split('/');
      const resourceAttributes = { namespace, group: apiGroup, resource, subresource, verb, name };
      const body = { spec: { resourceAttributes } };
      return (await api.createSelfSubjectAccessReview({ body })).status?.allowed === true;
    },
    holds: async (namespace) => {
      const { status } = await api.createSelfSubjectRulesReview({ body: { spec: { namespace } } });
      if (status === undefined || status.incomplete) throw new Error(`incomplete answer: ${status?.evaluationError}`);
      const paths = status.nonResourceRules.flatMap(({ nonResourceURLs = [], verbs }) =>
        nonResourceURLs.flatMap((url) => verbs.map((verb) => `${verb} ${url}`)),
      );
      return [...new Set([...textsOf(rightsOfRules(namespace, status.resourceRules)), ...paths])].sort();
    },
  };
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string }[];
}

/** `group/plural` and `group/plural/subresource` of everything that is built into the API server. */
export async function servedResources(client: Client): Promise<ReadonlySet<string>> {
  const read = async <T>(path: string) => (await client.getJson(path)) as T;
  const { groups } = await read<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const versions = groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  const lists = await Promise.all(['/api/v1', ...versions].map((path) => read<ResourceList>(path)));
  return new Set(
    lists.flatMap(({ groupVersion, resources }) => {
      const group = groupVersion.includes('/') ? groupVersion.split('/')[0] : '';
      return resources.map(({ name }) => `${group}/${name}`);
    }),
  );
}
