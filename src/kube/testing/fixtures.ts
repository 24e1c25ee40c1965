import type { KubeObject, Resource } from '../types.ts';

export const WIDGETS: Resource = { group: 'example.test', version: 'v1', plural: 'widgets', kind: 'Widget' };
export const WIDGETS_PATH = '/apis/example.test/v1/namespaces/team/widgets';

export function widget(name: string, fields: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name, namespace: 'team' }, ...fields };
}

/** As a server would hand it out. */
export function storedWidget(name: string, resourceVersion: string, uid = `uid-of-${name}`): KubeObject {
  return { ...widget(name), metadata: { name, namespace: 'team', uid, resourceVersion } };
}
