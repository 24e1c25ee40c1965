/** Profiles that a test left behind are held by an operator that runs no more, and whatever removes their CRD would wait for ever. */

import { RuntimeProfile } from '../../src/api/runtime-profile.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kubectl } from './kubectl.ts';

export async function letGoOfProfiles(kubectl: Kubectl): Promise<void> {
  // Before the CRD is there, there is none to let go of.
  const list = await kubectl
    .get<{ readonly items: readonly KubeObject[] }>('runtimeprofiles', '-A')
    .catch(() => undefined);
  const held = (list?.items ?? []).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  await Promise.all(held.map(({ metadata }) => letGo(kubectl, metadata)));
}

async function letGo(kubectl: Kubectl, { name, namespace }: KubeObject['metadata']): Promise<void> {
  const path = `/apis/${RuntimeProfile.apiVersion}/namespaces/${namespace}/runtimeprofiles/${name}`;
  const contentType = 'application/merge-patch+json';
  await kubectl.request({ method: 'PATCH', path, contentType, body: { metadata: { finalizers: null } } });
}
