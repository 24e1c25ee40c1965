import type { KubeObject, Resource } from '../types.ts';

/** Of what a test does not let run out: how busy the machine is decides nothing. Below the limit of a test, in vitest.config.ts. */
export const PATIENT_MS = 30_000;

export const WIDGETS: Resource = { group: 'example.test', version: 'v1', plural: 'widgets', kind: 'Widget' };
export const WIDGETS_PATH = '/apis/example.test/v1/namespaces/team/widgets';

export function widget(name: string, fields: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name, namespace: 'team' }, ...fields };
}

/** As a server would hand it out. */
export function storedWidget(name: string, resourceVersion: string, uid = `uid-of-${name}`): KubeObject {
  return { ...widget(name), metadata: { name, namespace: 'team', uid, resourceVersion } };
}
