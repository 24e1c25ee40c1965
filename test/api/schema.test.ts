import { beforeAll, describe, expect, it } from 'vitest';
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { PolicyBundle } from '../../src/api/policy-bundle.ts';
import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import { SecretBinding } from '../../src/api/secret-binding.ts';
import type { Client } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import type { KubeObject, Resource } from '../../src/kube/types.ts';
import { egressPolicyCases } from '../cases/egress-policy.cases.ts';
import { policyBundleCases } from '../cases/policy-bundle.cases.ts';
import { runtimeProfileCases } from '../cases/runtime-profile.cases.ts';
import type { SchemaCase } from '../cases/schema-case.ts';
import { secretBindingCases } from '../cases/secret-binding.cases.ts';
import { clientFor } from '../support/client.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { install } from './support/installation.ts';

const namespace = 'schema';
const fieldManager = 'agentplane-test';
let client: Client;

beforeAll(async () => {
  await install([namespace]);
  client = clientFor(controlPlaneOfWorker().kubeconfigPath);
});

async function verdict(
  resource: Resource,
  { metadataName, spec, before }: SchemaCase,
  unique: string,
): Promise<string> {
  const name = metadataName ?? unique;
  const object = (body: unknown): KubeObject => ({
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name, namespace },
    spec: body,
  });
  try {
    if (before === undefined) await client.create(resource, object(spec), { fieldManager });
    else {
      await client.create(resource, object(before), { fieldManager });
      await client.mergePatch(resource, { namespace, name }, { spec: replacing(before, spec) }, { fieldManager });
    }
    return 'accepted';
  } catch (error) {
    if (error instanceof KubeError) return error.message;
    throw error;
  }
}

/** A merge patch that makes `before` be `after`: fields that are gone are removed. */
function replacing(before: unknown, after: unknown): Record<string, unknown> {
  const removed = Object.keys(before as object).map((key) => [key, null] as const);
  return { ...Object.fromEntries(removed), ...(after as Record<string, unknown>) };
}

describe.each([
  [RuntimeProfile, runtimeProfileCases],
  [EgressPolicy, egressPolicyCases],
  [SecretBinding, secretBindingCases],
  [PolicyBundle, policyBundleCases],
] as const)('$kind at the API server', (kind, cases) => {
  it.each(
    cases.map((item, i) => [`${item.refused === undefined ? 'accepts' : 'refuses'} ${item.name}`, item, i] as const),
  )('%s', async (_, item, i) => {
    const said = await verdict(kind, item, `${kind.singular}-${i}`);
    if (item.refused === undefined) expect(said).toBe('accepted');
    else expect(said).toMatch(item.refusedByServer ?? item.refused);
  });
});

describe('defaults', () => {
  it('of the API server are those of this process', async () => {
    const resource: Resource = EgressPolicy;
    const created = await client.create(
      resource,
      {
        apiVersion: EgressPolicy.apiVersion,
        kind: 'EgressPolicy',
        metadata: { name: 'defaults', namespace },
        spec: { profileRef: { name: 'p' } },
      },
      { fieldManager },
    );
    expect(created.spec).toEqual(EgressPolicy.spec.parse({ profileRef: { name: 'p' } }));
  });
});

describe('the CRDs', () => {
  it('are stored as they are rendered: a GitOps tool sees no difference', async () => {
    const { kubeconfigPath, kubectl } = controlPlaneOfWorker();
    const live = await kubectlFor(kubectl, kubeconfigPath).get<{
      items: { metadata: { name: string }; spec: Record<string, unknown> }[];
    }>('crd');
    const { crdOf } = await import('../../src/api/crd.ts');
    const { KINDS } = await import('../../src/api/kinds.ts');
    for (const kind of KINDS) {
      const rendered = crdOf(kind);
      const stored = live?.items.find((item) => item.metadata.name === rendered.metadata.name);
      expect(stored?.spec, kind.kind).toEqual(JSON.parse(JSON.stringify(rendered.spec)));
    }
  });
});
