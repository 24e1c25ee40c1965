/** Objects with statuses, as their controllers would have written them. */
import type { KubeObject } from '../../kube/types.ts';

export const namespace = 'team-a';
export const API = 'agentplane.dev/v1alpha1';

export interface Draft {
  readonly generation?: number;
  /** The generation that the status is about; the newest unless told. Null: there is no status. */
  readonly observed?: number | null;
  /** Of Ready. */
  readonly reason?: string;
  readonly enforced?: 'True' | 'Unknown';
  readonly profile?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

/** An EgressPolicy, SecretBinding or PolicyBundle; Ready unless told. */
export function judgedObject(kind: string, name: string, draft: Draft = {}): KubeObject {
  const { generation = 1, observed = generation, reason = 'Ready', enforced = 'Unknown', profile = 'research' } = draft;
  const condition = (type: string, status: string, why: string) => ({
    type,
    status,
    reason: why,
    message: `about ${name}`,
    observedGeneration: observed,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  });
  const conditions = [
    condition('Ready', reason === 'Ready' ? 'True' : 'False', reason),
    condition('Enforced', enforced, enforced === 'True' ? 'Probed' : 'NotProbed'),
  ];
  const metadata = { name, namespace, uid: `uid-${name}`, generation, creationTimestamp: '2030-01-01T00:00:00Z' };
  return {
    apiVersion: API,
    kind,
    metadata: { ...metadata, ...draft.metadata },
    spec: { profileRef: { name: profile }, ...draft.spec },
    ...(observed === null ? {} : { status: { observedGeneration: observed, conditions, ...draft.status } }),
  };
}

export const policyOf = (name: string, draft: Draft = {}) => judgedObject('EgressPolicy', name, draft);

export function bindingOf(name: string, secret: string, keys: readonly string[], draft: Draft = {}): KubeObject {
  const spec = { secretRef: { name: secret }, keys, exposure: 'AgentReadable', ...draft.spec };
  return judgedObject('SecretBinding', name, { ...draft, spec });
}

export function bundleOf(name: string, configMap: string, draft: Draft = {}): KubeObject {
  const status = { output: { configMap, digest: `sha256:${configMap}`, generation: 1 }, ...draft.status };
  return judgedObject('PolicyBundle', name, { ...draft, status });
}

export function profileOf(name = 'research', spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: API,
    kind: 'RuntimeProfile',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { serviceAccountName: `${name}-agent`, ...spec },
  };
}

export interface PodDraft {
  readonly account?: string;
  readonly phase?: string;
  readonly created?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export function podOf(name: string, draft: PodDraft = {}): KubeObject {
  const { account = 'research-agent', phase = 'Running', created = '2030-01-01T00:00:00Z', labels = {} } = draft;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: created, labels },
    spec: { serviceAccountName: account },
    status: { phase },
  };
}
