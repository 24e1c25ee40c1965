import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../lib/repository.ts';
import { BINARY_GROUPS, binaryArtefact } from './binaries.ts';
import { VERSIONS } from './versions.ts';

/** The module of each folder under tools/ whose version is also in the table. */
const PINS = {
  kubernetes: ['k8s.io/kubernetes', VERSIONS.kubernetes],
  etcd: ['go.etcd.io/etcd/server/v3', VERSIONS.etcd],
  coredns: ['github.com/coredns/coredns', VERSIONS.coredns],
  containerd: ['github.com/containerd/containerd/v2', VERSIONS.containerd],
  crictl: ['sigs.k8s.io/cri-tools', VERSIONS.crictl],
  kind: ['sigs.k8s.io/kind', VERSIONS.kind],
  helm3: ['helm.sh/helm/v3', VERSIONS.helm3],
  helm4: ['helm.sh/helm/v4', VERSIONS.helm4],
  'chart-testing': ['github.com/helm/chart-testing/v3', VERSIONS.chartTesting],
  kubeconform: ['github.com/yannh/kubeconform', VERSIONS.kubeconform],
  cilium: ['github.com/cilium/cilium', VERSIONS.cilium],
  'gopher-lua': ['github.com/yuin/gopher-lua', VERSIONS.gopherLua],
  containerregistry: ['github.com/google/go-containerregistry', VERSIONS.containerregistry],
  kstatus: ['github.com/fluxcd/cli-utils', VERSIONS.kstatus],
} as const;

test.each(Object.entries(PINS))(
  'tools/%s requires exactly the version of the table',
  async (folder, [module, version]) => {
    const text = await readFile(path.join(REPOSITORY, 'tools', folder, 'go.mod'), 'utf8');
    const required = new RegExp(`^(?:require |\\t)${module.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(text);
    expect(required?.[1]).toBe(`v${version}`);
  },
);

test('no folder under tools/ is without an entry here', async () => {
  const entries = await readdir(path.join(REPOSITORY, 'tools'), { withFileTypes: true });
  expect(
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Object.keys(PINS).sort());
});

test('the staging modules of Kubernetes are replaced by the release of the same minor and patch', async () => {
  const text = await readFile(path.join(REPOSITORY, 'tools/kubernetes/go.mod'), 'utf8');
  const replaced = [...text.matchAll(/(k8s\.io\/\S+) => \1 (v\S+)/g)].map((match) => match[2]);
  expect(replaced.length).toBeGreaterThan(20);
  expect(new Set(replaced)).toEqual(new Set([`v${VERSIONS.kubernetes.replace(/^1\./, '0.')}`]));
});

test('every binary has a key of its own', async () => {
  const names = [...new Set(Object.values(BINARY_GROUPS).flat())];
  const paths = await Promise.all(
    names.map(async (name) => JSON.stringify([name, (await binaryArtefact(name)).inputs])),
  );
  expect(new Set(paths).size).toBe(names.length);
});
