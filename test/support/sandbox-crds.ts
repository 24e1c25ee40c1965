/**
 * Small CRDs that carry the fields of agent-sandbox which AgentPlane reads, under its groups: the pod template of a Sandbox, and the
 * blueprint, the network policy and what claims may add of a SandboxTemplate. Field names are those of its API, v1beta1.
 */

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const metadata = {
  type: 'object',
  properties: {
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
  },
};
const podTemplate = { type: 'object', properties: { metadata, spec: anything } };

const sandbox = { podTemplate, operatingMode: { type: 'string', enum: ['Running', 'Suspended'] } };
const sandboxTemplate = {
  podTemplate,
  networkPolicyManagement: { type: 'string', enum: ['Managed', 'Unmanaged'] },
  envVarsInjectionPolicy: { type: 'string', enum: ['Allowed', 'Overrides', 'Disallowed'] },
  networkPolicy: {
    type: 'object',
    properties: {
      ingress: { type: 'array', items: anything },
      egress: { type: 'array', items: anything },
    },
  },
};

export const SANDBOX_CRDS: readonly object[] = [
  crd('agents.x-k8s.io', 'Sandbox', 'sandboxes', sandbox),
  crd('extensions.agents.x-k8s.io', 'SandboxTemplate', 'sandboxtemplates', sandboxTemplate),
];

function crd(group: string, kind: string, plural: string, spec: object): object {
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec }, status: anything } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // The API server wants a word of approval for a group under x-k8s.io; this one says that it is a test's.
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests only' },
    },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: 'v1beta1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
