/** Inputs for tests of compilation: facts and requests that are complete, so that a test states only what it is about. */
import { CAPABILITIES, type Capability, type ProviderName } from '../api/capability.ts';
import { EgressPolicy, type EgressPolicySpec } from '../api/egress-policy.ts';
import { parseSpec } from '../api/kind.ts';
import type { CompileRequest } from './compile.ts';
import type { KnownFacts } from './facts.ts';

export function specOf(partial: Readonly<Record<string, unknown>>): EgressPolicySpec {
  const parsed = parseSpec(EgressPolicy, { profileRef: { name: 'research' }, ...partial });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return parsed.value;
}

/** Facts of a provider that supports everything but `without`. */
export function factsFor(name: ProviderName, without: Partial<Record<Capability, string>> = {}): KnownFacts {
  return {
    state: 'Known',
    provider: { name, version: '1.20.2' },
    capabilityHash: 'sha256:test',
    capabilities: new Map(
      CAPABILITIES.map((capability) => {
        const reason = without[capability];
        return [
          capability,
          reason === undefined ? { state: 'Supported', reason: 'Declared' } : { state: 'Unsupported', reason },
        ];
      }),
    ),
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    apiServerAddresses: ['192.0.2.10'],
  };
}

export function requestFor(
  spec: Readonly<Record<string, unknown>>,
  overrides: Partial<CompileRequest> = {},
): CompileRequest {
  return {
    owner: {
      kind: 'EgressPolicy',
      namespace: 'team-a',
      name: 'research-egress',
      uid: '11111111-2222-3333-4444-555555555555',
    },
    spec: specOf(spec),
    subject: { profile: 'research', serviceAccountName: 'research-agent' },
    facts: factsFor('cilium'),
    limits: { allowAnyDestination: false, clusterDomain: 'cluster.local' },
    ...overrides,
  };
}
