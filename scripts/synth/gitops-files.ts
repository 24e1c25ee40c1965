import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { KINDS } from '../../src/api/kinds.ts';
import { GROUP } from '../../src/api/meta.ts';
import { REPOSITORY } from '../lib/repository.ts';
import type { Files } from './chart-files.ts';
import { generatedHeader } from './generated.ts';

const FOLDER = 'docs/gitops/argo-cd';
const HEALTH = `${FOLDER}/health.lua`;

/** docs/gitops/argo-cd/argocd-cm.yaml: the one health check for each kind that has conditions. */
export async function gitopsFiles(): Promise<Files> {
  const health = await readFile(path.join(REPOSITORY, HEALTH), 'utf8');
  const kinds = KINDS.filter(({ spec }) => spec !== undefined).map(({ kind }) => kind);
  const checks = kinds.map((kind) => [`resource.customizations.health.${GROUP}_${kind}`, health]);
  // Without it a parent Application does not wait for one wave before it begins the next.
  const application = [
    'hs = {status = "Progressing", message = ""}',
    'if obj.status ~= nil and obj.status.health ~= nil then',
    '  hs.status = obj.status.health.status',
    '  hs.message = obj.status.health.message or ""',
    'end',
    'return hs',
    '',
  ].join('\n');
  const config = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd' },
    data: Object.fromEntries([...checks, ['resource.customizations.health.argoproj.io_Application', application]]),
  };
  const comment =
    '# Merge into the ConfigMap that Argo CD has: kubectl patch configmap argocd-cm -n argocd --patch-file argocd-cm.yaml';
  return new Map([
    [`${FOLDER}/argocd-cm.yaml`, `${generatedHeader(HEALTH)}\n${comment}\n${stringify(config, { lineWidth: 0 })}`],
  ]);
}
