import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { agentplaneDefinition } from './chart-agentplane.ts';
import { RefusedValues } from './static.ts';
import { synthStatic } from './synth-static.ts';

const release = { name: 'agentplane', namespace: 'system' };
const governed = { governedNamespaces: [{ name: 'agents' }] };

function render(values: JsonMap): readonly JsonMap[] {
  return synthStatic(agentplaneDefinition('1.2.3'), values, release);
}

function find(values: JsonMap, kind: string, name: string): JsonMap | undefined {
  return render(values).find((object) => object.kind === kind && (object.metadata as JsonMap).name === name);
}

interface PodTemplate {
  readonly template: {
    readonly metadata: JsonMap;
    readonly spec: JsonMap & { readonly containers: readonly JsonMap[] };
  };
}

function podOf(values: JsonMap): PodTemplate['template'] {
  const deployment = find(values, 'Deployment', 'agentplane-inventory');
  if (deployment === undefined) throw new Error('the inventory is always rendered');
  return (deployment.spec as unknown as PodTemplate).template;
}

describe('the floor', () => {
  it('shuts the egress of every pod by default', () => {
    expect(find(governed, 'NetworkPolicy', 'agentplane-floor')).toMatchObject({
      metadata: { namespace: 'agents' },
      spec: { podSelector: {}, policyTypes: ['Egress'] },
    });
  });

  it('shuts that of governed pods alone where the namespace also holds others', () => {
    const values = { governedNamespaces: [{ name: 'agents', floor: 'GovernedPods' }] };
    expect(find(values, 'NetworkPolicy', 'agentplane-floor')?.spec).toEqual({
      podSelector: { matchExpressions: [{ key: 'agentplane.dev/profile', operator: 'Exists' }] },
      policyTypes: ['Egress'],
    });
  });

  it('allows nothing: it has no rule at all', () => {
    const { spec } = find(governed, 'NetworkPolicy', 'agentplane-floor') ?? {};
    expect(spec).not.toHaveProperty('egress');
  });
});

describe('the image', () => {
  it.each([
    [{}, 'localhost/agentplane/agentplane:1.2.3'],
    [{ tag: 'dev' }, 'localhost/agentplane/agentplane:dev'],
    [{ repository: 'example.com/a', tag: 'dev', digest: 'sha256:00' }, 'example.com/a@sha256:00'],
  ])('of %j is %s', (image, expected) => {
    expect(podOf({ image }).spec.containers[0]).toHaveProperty('image', expected);
  });
});

describe('the fence around the own pods', () => {
  const fence = (values: JsonMap) => find(values, 'NetworkPolicy', 'agentplane-inventory')?.spec;

  it('lets nothing in, and out only to the ports of the API server', () => {
    expect(fence({})).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        {
          ports: [
            { port: 6443, protocol: 'TCP' },
            { port: 443, protocol: 'TCP' },
          ],
        },
      ],
    });
    expect(fence({})).not.toHaveProperty('ingress');
  });

  it('is narrowed to the addresses of the API server, of both families', () => {
    const apiServer = { addresses: ['203.0.113.1', '2001:db8::1'], port: 443 };
    expect(fence({ apiServer })).toHaveProperty('egress', [
      {
        to: [{ ipBlock: { cidr: '203.0.113.1/32' } }, { ipBlock: { cidr: '2001:db8::1/128' } }],
        ports: [{ port: 443, protocol: 'TCP' }],
      },
    ]);
  });

  it('opens the metrics port, and no other, to whom the values name', () => {
    const from = [{ podSelector: { matchLabels: { app: 'prometheus' } } }];
    expect(fence({ networkPolicy: { metricsFrom: from } })).toHaveProperty('ingress', [
      { from, ports: [{ port: 8080, protocol: 'TCP' }] },
    ]);
  });

  it('can be left out', () => {
    expect(fence({ networkPolicy: { enabled: false } })).toBeUndefined();
  });
});

describe('the disruption budget', () => {
  const budget = (values: JsonMap) => find({ ...governed, ...values }, 'PodDisruptionBudget', 'agentplane-operator');

  it('exists with several replicas only: with one it would block the drain of a node', () => {
    expect(budget({ operator: { replicas: 2 } })?.spec).toMatchObject({ maxUnavailable: 1 });
    expect(budget({ operator: { replicas: 1 } })).toBeUndefined();
    expect(budget({ operator: { replicas: 2 }, podDisruptionBudget: { enabled: false } })).toBeUndefined();
  });
});

describe('what is optional', () => {
  it('leaves no empty field behind, which the API server would drop', () => {
    const { metadata, spec } = podOf({});
    expect(metadata).not.toHaveProperty('annotations');
    for (const field of ['affinity', 'imagePullSecrets', 'nodeSelector', 'priorityClassName', 'tolerations']) {
      expect(spec).not.toHaveProperty(field);
    }
  });

  it('stands where it is set', () => {
    const values = {
      podAnnotations: { a: 'b' },
      podLabels: { team: 'x' },
      priorityClassName: 'high',
      nodeSelector: { a: 'b' },
    };
    const { metadata, spec } = podOf(values);
    expect(metadata).toMatchObject({
      annotations: { a: 'b' },
      labels: { team: 'x', 'app.kubernetes.io/name': 'agentplane' },
    });
    expect(spec).toMatchObject({ priorityClassName: 'high', nodeSelector: { a: 'b' } });
  });

  it('of metrics comes with its Service', () => {
    const values = { serviceMonitor: { enabled: true, labels: { release: 'p' } } };
    expect(find(values, 'ServiceMonitor', 'agentplane-inventory')).toMatchObject({
      metadata: { labels: { release: 'p' } },
    });
    expect(find(values, 'Service', 'agentplane-inventory')).toBeDefined();
    expect(find({}, 'Service', 'agentplane-inventory')).toBeUndefined();
  });
});

describe('values across fields', () => {
  it.each([
    ['a namespace listed twice', [{ name: 'a' }, { name: 'a' }], /listed twice/],
    ['the namespace of the release behind the floor', [{ name: 'system' }], /would cut the operator off/],
    ['a namespace of the cluster', [{ name: 'kube-system', floor: 'GovernedPods' }], /belongs to the cluster/],
  ])('are refused: %s', (_, governedNamespaces, message) => {
    expect(() => render({ governedNamespaces })).toThrow(RefusedValues);
    expect(() => render({ governedNamespaces })).toThrow(message);
  });

  it('are accepted: the namespace of the release, with its own pods outside', () => {
    const objects = render({ governedNamespaces: [{ name: 'system', floor: 'GovernedPods' }] });
    const roles = objects.filter((object) => object.kind === 'Role').map((role) => (role.metadata as JsonMap).name);
    expect(roles.sort()).toEqual(['agentplane-inventory', 'agentplane-operator', 'agentplane-operator-install']);
  });
});
