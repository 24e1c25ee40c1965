import { describe, expect, it } from 'vitest';
import { mountedBundles, podSketch } from './governed-pods.ts';
import { cacheOf } from './testing-cache.ts';

const NAME = 'ap-bundle-0123456789abcdef';
const env = (name: string) => [{ name: 'A', valueFrom: { configMapKeyRef: { name, key: 'k' } } }];

const pod = (spec: object, phase = 'Running') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'team-a', uid: 'u' },
  spec: { serviceAccountName: 'a', containers: [{ name: 'c', image: 'i' }], ...spec },
  status: { phase },
});
const mounted = (spec: object, phase?: string) => [
  ...mountedBundles(cacheOf('team-a', { pods: [podSketch(pod(spec, phase))] })),
];

describe('a pod uses a generated ConfigMap', () => {
  it.each([
    ['as a volume', { volumes: [{ name: 'v', configMap: { name: NAME } }] }],
    ['as an optional volume', { volumes: [{ name: 'v', configMap: { name: NAME, optional: true } }] }],
    [
      'in a projected volume',
      { volumes: [{ name: 'v', projected: { sources: [{ secret: {} }, { configMap: { name: NAME } }] } }] },
    ],
    ['in a variable', { containers: [{ name: 'c', env: env(NAME) }] }],
    ['as variables', { containers: [{ name: 'c', envFrom: [{ secretRef: {} }, { configMapRef: { name: NAME } }] }] }],
    ['in a variable of an init container', { initContainers: [{ name: 'i', env: env(NAME) }] }],
    ['in a variable of an ephemeral container', { ephemeralContainers: [{ name: 'e', env: env(NAME) }] }],
  ])('%s', (_, spec) => {
    expect(mounted(spec)).toEqual([NAME]);
    expect(mounted(spec, 'Pending')).toEqual([NAME]);
    expect(mounted(spec, 'Succeeded')).toEqual([]);
    expect(mounted(JSON.parse(JSON.stringify(spec).replaceAll(NAME, 'other')) as object)).toEqual([]);
  });

  it('and of it only the name is kept, once', () => {
    const spec = {
      volumes: [
        { name: 'v', configMap: { name: NAME } },
        { name: 'w', configMap: { name: 'theirs' } },
      ],
      containers: [{ name: 'c', image: 'secret-image', env: env(NAME), command: ['secret'] }],
    };
    expect(podSketch(pod(spec)).spec).toEqual({ serviceAccountName: 'a', bundles: [NAME] });
    expect(podSketch(pod({})).spec).toEqual({ serviceAccountName: 'a' });
  });

  it('of however many it names, so many are kept as any pod has use for', () => {
    const volumes = Array.from({ length: 5000 }, (_, i) => ({ name: `v${i}`, configMap: { name: `${NAME}${i}` } }));
    expect(mounted({ volumes })).toHaveLength(64);
  });

  it.each([undefined, null, 1, 'x', {}, [null], [1], [{}], [{ configMap: null }], [{ projected: { sources: 1 } }]])(
    'and whatever else stands there is none: %j',
    (odd) => {
      expect(mounted({ volumes: odd, containers: odd, initContainers: odd })).toEqual([]);
      expect(mounted({ containers: [{ env: odd, envFrom: odd }] })).toEqual([]);
    },
  );
});
