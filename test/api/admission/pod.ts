/** A pod that keeps to every rule, and ways to break one rule each. */
import { PROFILE_LABEL } from '../../../src/api/meta.ts';
import { ACCOUNT, API, PROFILE } from '../../support/policies.ts';

export const IMAGE = `registry.example.com/agents/runner@sha256:${'a'.repeat(64)}`;
export const RUNTIME_CLASS = 'sandboxed';
export const BOUND_SECRET = 'model-key';
export const BOUND_KEY = 'token';
export const BUNDLE = 'ap-bundle-1f3c';

type Fields = Readonly<Record<string, unknown>>;

export const SPEC: Fields = {
  serviceAccountName: ACCOUNT,
  runtimeClassName: RUNTIME_CLASS,
  automountServiceAccountToken: false,
  activeDeadlineSeconds: 600,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};

export const CONTAINER: Fields = {
  name: 'agent',
  image: IMAGE,
  resources: { limits: { cpu: '500m', memory: '256Mi' } },
};

export const CONTEXT: Fields = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export interface Broken {
  readonly spec?: Fields;
  readonly container?: Fields;
  readonly context?: Fields;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The template of a pod: what a Sandbox, a workload and a pod have in common. */
export function template({ spec = {}, container = {}, context = {}, labels, annotations }: Broken = {}) {
  return {
    metadata: {
      labels: labels ?? { [PROFILE_LABEL]: PROFILE },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      ...SPEC,
      containers: [{ ...CONTAINER, securityContext: { ...CONTEXT, ...context }, ...container }],
      ...spec,
    },
  };
}

export function pod(namespace: string, name: string, broken: Broken = {}) {
  const { metadata, spec } = template(broken);
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name, namespace }, spec };
}

/** The profile that all of this is measured with, as far as its author writes it. */
export function strictProfile(namespace: string, name = PROFILE, serviceAccountName = ACCOUNT, more: Fields = {}) {
  return {
    apiVersion: API,
    kind: 'RuntimeProfile',
    metadata: { name, namespace },
    spec: {
      serviceAccountName,
      runtimeClassName: RUNTIME_CLASS,
      pod: { volumes: ['configMap', 'emptyDir', 'projected', 'secret'], maxLifetimeSeconds: 3600, ...more },
      images: { allowedPrefixes: ['registry.example.com/agents/'] },
      resources: { maxPerContainer: { cpu: '1', memory: '512Mi' } },
    },
  };
}

/** The status that the operator gives it while everything is in force. */
export function openStatus(generation: number): Fields {
  return {
    observedGeneration: generation,
    admission: {
      generation,
      open: true,
      since: '2026-01-01T00:00:00Z',
      secrets: [{ name: BOUND_SECRET, keys: [BOUND_KEY] }],
      bundles: [{ name: BUNDLE, digest: `sha256:${'b'.repeat(64)}` }],
    },
  };
}
