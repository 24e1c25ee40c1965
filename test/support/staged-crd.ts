/** CRDs of providers with only the fields that tell one from another. */
import type { Client } from '../../src/kube/client.ts';
import { isKubeError } from '../../src/kube/errors.ts';
import type { KubeObject, Resource } from '../../src/kube/types.ts';

export interface StagedCrd {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly cluster?: true;
  /** `spec.egress[].toFQDNs`: the one path of properties that the schema has. */
  readonly field: string;
}

const CRDS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};
const STAGED = { 'agentplane.dev/staged': 'true' };

/** Makes these, and none that was staged before, exist. */
export async function stageCrds(client: Client, crds: readonly StagedCrd[]): Promise<void> {
  const live = await client.list(CRDS, { labelSelector: 'agentplane.dev/staged=true' });
  const wanted = crds.map(crdOf);
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  await Promise.all([
    ...live.items
      .filter(({ metadata }) => !names.has(metadata.name))
      .map(({ metadata: { name, uid = '' } }) => remove(client, name, uid)),
    ...wanted.map((crd) => client.apply(CRDS, crd, { fieldManager: 'stage', force: true })),
  ]);
}

/** One that was on its way out when the list was made may be gone by now. */
async function remove(client: Client, name: string, uid: string): Promise<void> {
  try {
    await client.delete(CRDS, { name }, { uid });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

function crdOf({ group, version, kind, plural, cluster, field }: StagedCrd): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: STAGED,
      // Groups of the community are guarded by name.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group,
      names: { kind, plural },
      scope: cluster === true ? 'Cluster' : 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(field.replaceAll('[]', '.[]').split('.')) },
        },
      ],
    },
  };
}

function schemaOf([step, ...rest]: readonly string[]): object {
  if (step === undefined) return { type: 'string' };
  if (step === '[]') return { type: 'array', items: schemaOf(rest) };
  return { type: 'object', properties: { [step]: schemaOf(rest) } };
}
