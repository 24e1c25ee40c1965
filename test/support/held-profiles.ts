/** Profiles that a test left behind are held by an operator that runs no more, and whatever removes their CRD would wait for ever. */
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kubectl } from './kubectl.ts';

/** At once: each is a process of its own. */
const TOGETHER = 16;

export async function letGoOfProfiles(kubectl: Kubectl): Promise<void> {
  // Before the CRD is there, there is none to let go of.
  const list = await kubectl
    .get<{ readonly items: readonly KubeObject[] }>('runtimeprofiles', '-A')
    .catch(() => undefined);
  const held = (list?.items ?? []).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  for (let i = 0; i < held.length; i += TOGETHER) {
    await Promise.all(held.slice(i, i + TOGETHER).map(({ metadata }) => letGo(kubectl, metadata)));
  }
}

async function letGo(kubectl: Kubectl, { name, namespace = '' }: KubeObject['metadata']): Promise<void> {
  const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
  await kubectl.try('patch', 'runtimeprofile', name, '-n', namespace, ...patch);
}
