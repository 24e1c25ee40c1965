/** What generated objects allow a governed pod, by the evaluator: over the floor, as in a cluster. */
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import { decide } from '../../src/effective/decide.ts';
import { effectiveEgress } from '../../src/effective/evaluate.ts';
import type { Egress, Flow } from '../../src/effective/types.ts';
import type { EmittedProvider } from './arbitrary-policy.ts';
import { OWNER, SUBJECT } from './arbitrary-policy-facts.ts';

/** As the chart renders it for AllPods. */
export const FLOOR = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'agentplane-floor', namespace: OWNER.namespace },
  spec: { podSelector: {}, policyTypes: ['Egress'] },
};

/** What a cluster of this provider and version makes of the objects. */
export interface Enforcer {
  readonly provider: EmittedProvider;
  readonly version?: string | undefined;
}

export function emittedEgress(
  objects: readonly { readonly kind: string }[],
  { provider, version = '1.20.2' }: Enforcer,
  subject = SUBJECT,
): Egress {
  return effectiveEgress(
    {
      namespace: OWNER.namespace,
      labels: { [PROFILE_LABEL]: subject.profile },
      serviceAccountName: subject.serviceAccountName,
    },
    {
      networkPolicies: [FLOOR, ...objects.filter(({ kind }) => kind === 'NetworkPolicy')],
      ciliumPolicies: objects.filter(({ kind }) => kind === 'CiliumNetworkPolicy'),
    },
    { provider: provider === 'cilium' ? 'cilium' : 'networkpolicy', version },
  );
}

/** The first flow that is allowed and not asked for, or asked for and not allowed; undefined when they agree on all. */
export function disagreement(
  egress: Egress,
  isAsked: (flow: Flow) => boolean,
  flows: readonly Flow[],
): string | undefined {
  for (const flow of flows) {
    const { allowed, unknown } = decide(egress, flow);
    const wanted = isAsked(flow);
    if (allowed !== wanted || unknown !== undefined) {
      const verdict = unknown === undefined ? `${allowed ? 'allowed' : 'denied'}` : 'unclear';
      return `${verdict}, though ${wanted ? '' : 'not '}asked for: ${JSON.stringify(flow)}`;
    }
  }
  return undefined;
}

/** The first flow that is, or may be, allowed and not asked for. */
export function excess(egress: Egress, isAsked: (flow: Flow) => boolean, flows: readonly Flow[]): string | undefined {
  const found = flows.find((flow) => {
    const { allowed, unknown } = decide(egress, flow);
    return (allowed || unknown !== undefined) && !isAsked(flow);
  });
  return found && `allowed, though not asked for: ${JSON.stringify(found)}`;
}
