/** What the own pods may reach, as it is rendered. With packets: test/cluster/own-network.test.ts. */
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import { print, RELEASE, render } from './support/helm.ts';

const WITH_PROBE = { probe: { enabled: true, namespace: 'canaries' } };
const COMPONENTS = ['operator', 'inventory', 'probe'];

async function policies(values: JsonMap): Promise<readonly JsonMap[]> {
  return (await render('agentplane', values)).filter(
    ({ kind, metadata }) =>
      String(kind).endsWith('NetworkPolicy') && (metadata as JsonMap).namespace === RELEASE.namespace,
  );
}

/** Their own pods, and never a governed one under the same labels. */
const pods = (component: string) => ({
  matchLabels: { 'app.kubernetes.io/name': 'agentplane', 'app.kubernetes.io/component': component },
  matchExpressions: [{ key: PROFILE_LABEL, operator: 'DoesNotExist' }],
});
const named = (component: string) => expect.objectContaining({ name: `agentplane-${component}` });

describe('the fence around the own pods', () => {
  it('lets them reach the ports of the API server', async () => {
    const rendered = await policies({ governedNamespaces: [{ name: 'agents' }], ...WITH_PROBE });
    expect(rendered).toHaveLength(COMPONENTS.length);
    for (const component of COMPONENTS) {
      expect(rendered).toContainEqual(
        expect.objectContaining({
          kind: 'NetworkPolicy',
          metadata: named(component),
          spec: {
            podSelector: pods(component),
            policyTypes: ['Ingress', 'Egress'],
            egress: [
              {
                ports: [
                  { port: 6443, protocol: 'TCP' },
                  { port: 443, protocol: 'TCP' },
                ],
              },
            ],
          },
        }),
      );
    }
  });

  it('names the API server to Cilium, and is shut without what Cilium opens', async () => {
    const values = { governedNamespaces: [{ name: 'agents' }], networkPolicy: { ciliumEgress: true }, ...WITH_PROBE };
    const rendered = await policies(values);
    expect(rendered).toHaveLength(2 * COMPONENTS.length);
    for (const component of COMPONENTS) {
      const metadata = named(component);
      const shut = { podSelector: pods(component), policyTypes: ['Ingress', 'Egress'] };
      expect(rendered).toContainEqual(expect.objectContaining({ kind: 'NetworkPolicy', metadata, spec: shut }));
      const ports = ['6443', '443'].map((port) => ({ port, protocol: 'TCP' }));
      const spec = {
        endpointSelector: pods(component),
        egress: [{ toEntities: ['kube-apiserver'], toPorts: [{ ports }] }],
      };
      expect(rendered).toContainEqual(expect.objectContaining({ kind: 'CiliumNetworkPolicy', metadata, spec }));
    }
  });

  it.each([
    ['no network policies', { networkPolicy: { enabled: false, ciliumEgress: true } }],
    ['addresses', { networkPolicy: { ciliumEgress: true }, apiServer: { addresses: ['192.0.2.1'] } }],
  ])('is not named beside %s: that would be left out without a word', async (_, values) => {
    const { error, text } = await print('agentplane', values);
    expect(text).toBeUndefined();
    expect(error).toContain('networkPolicy.ciliumEgress');
  });
});
