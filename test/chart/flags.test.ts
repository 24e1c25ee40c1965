import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { serverAddress } from '../../constructs/values/formats.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { RefusedValues } from '../../scripts/synth/static.ts';
import { synthStatic } from '../../scripts/synth/synth-static.ts';
import { parseFlags } from '../../src/commands/flags.ts';
import { inventoryFlags, inventorySettings } from '../../src/commands/inventory.ts';
import { operatorFlags, operatorSettings } from '../../src/commands/operator.ts';
import { probeCommand } from '../../src/commands/probe.ts';
import { probeSettings } from '../../src/commands/probe-flags.ts';
import { seeded } from '../support/seed.ts';
import { addressIn, HIDEABLE, neighbourOf, spellingOf } from './support/addresses.ts';
import { valuesOf } from './support/arbitrary.ts';
import { byIdentity } from './support/objects.ts';

/** The chart and the program agree: whatever the values schema lets through, the program takes as its command line. */

const release = { name: 'agentplane', namespace: 'agentplane-system' };
const [chart] = (await loadCharts(REPOSITORY)).filter(({ name }) => name === 'agentplane');
if (chart === undefined) throw new Error('no chart agentplane');
const { values: model } = chart;

function render(values: JsonMap): Readonly<Record<string, JsonMap>> {
  return chart === undefined ? {} : byIdentity(synthStatic(chart, values, release));
}

/** The arguments of a Deployment after the command, or undefined if it is not rendered. */
function argumentsOf(objects: Readonly<Record<string, JsonMap>>, command: string): readonly string[] | undefined {
  const deployment = objects[`apps/v1 Deployment agentplane-system/agentplane-${command}`];
  if (deployment === undefined) return undefined;
  const { template } = deployment.spec as unknown as { template: { spec: { containers: [{ args: string[] }] } } };
  const [first, ...rest] = template.spec.containers[0].args;
  expect(first).toBe(command);
  return rest;
}

describe('the command lines of the chart', () => {
  it('say what the values say', () => {
    const objects = render({
      governedNamespaces: [{ name: 'b' }, { name: 'a' }],
      cilium: { enabled: true },
      admission: { enabled: true },
      operator: { workers: 7, allowAnyDestination: true, clusterDomain: 'example.internal', reportMaxAgeSeconds: 120 },
      inventory: {
        intervalSeconds: 30,
        provider: 'cilium',
        runtimeClasses: ['gvisor', 'kata'],
        dns: { namespace: 'dns', podLabels: { app: 'dns' } },
      },
      apiServer: { addresses: ['203.0.113.1', '2001:db8::1'], port: 8443 },
    });
    expect(operatorSettings(parseFlags(operatorFlags, argumentsOf(objects, 'operator') ?? []))).toMatchObject({
      namespaces: ['a', 'b'],
      installNamespace: 'agentplane-system',
      identity: '$(POD_NAME)',
      cilium: true,
      admission: true,
      workers: 7,
      reportMaxAgeMs: 120_000,
      limits: { allowAnyDestination: true, clusterDomain: 'example.internal' },
    });
    expect(inventorySettings(parseFlags(inventoryFlags, argumentsOf(objects, 'inventory') ?? []))).toMatchObject({
      namespace: 'agentplane-system',
      pin: 'cilium',
      runtimeClasses: ['gvisor', 'kata'],
      intervalMs: 30_000,
      dns: { namespace: 'dns', podLabels: { app: 'dns', 'k8s-app': 'kube-dns' } },
      apiServerAddresses: ['203.0.113.1', '2001:db8::1'],
      apiServerPort: 8443,
    });
  });

  it('of the probe and of its test say what it tries, and where', () => {
    const objects = render(chart?.fixtures.probe ?? {});
    const test = objects['v1 Pod agentplane-system/agentplane-probe-test']?.spec as unknown as {
      containers: [{ args: string[] }];
    };
    const [, ...once] = test.containers[0].args;
    expect(once.slice(-2)).toEqual(['--once', '--publish']);
    const loop = argumentsOf(objects, 'probe') ?? [];
    const settings = probeSettings(parseFlags(probeCommand.flags, loop));
    expect(probeSettings(parseFlags(probeCommand.flags, once))).toEqual(settings);
    expect(settings).toMatchObject({
      namespace: 'canaries',
      report: { namespace: 'agentplane-system', name: 'cluster' },
      targets: {
        allowed: [
          { address: '203.0.113.10', port: 8443 },
          { address: '2001:db8::10', port: 443 },
        ],
        denied: [{ address: '203.0.113.20', port: 8443 }],
        allowedName: { name: 'api.example.com', port: 443 },
        deniedName: { name: 'evil.example.net', port: 443 },
        oneLabelName: { name: 'a.cdn.example.com', port: 443 },
        twoLabelName: { name: 'a.b.cdn.example.com', port: 443 },
        resolver: '198.51.100.53',
      },
      pods: { pullSecrets: ['registry'], nodeSelector: { pool: 'agents' } },
    });
  });

  it('are accepted for any values that the schema accepts', () => {
    fc.assert(
      fc.property(valuesOf(model), (values) => {
        const objects = renderOrSkip(values);
        const operator = argumentsOf(objects, 'operator');
        if (operator !== undefined) operatorSettings(parseFlags(operatorFlags, operator));
        const probe = argumentsOf(objects, 'probe');
        if (probe !== undefined) probeSettings(parseFlags(probeCommand.flags, probe));
        inventorySettings(parseFlags(inventoryFlags, argumentsOf(objects, 'inventory') ?? []));
      }),
      seeded(300),
    );
  });

  it('list no address that no policy may open, however it is spelt', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...HIDEABLE)
          .chain(addressIn)
          .chain(spellingOf),
        (address) => {
          expect(address).toMatch(new RegExp(serverAddress));
          expect(() => render({ apiServer: { addresses: [address] } })).toThrow(RefusedValues);
        },
      ),
      seeded(100),
    );
  });

  it('list addresses next to those as the program takes them', () => {
    const near = fc
      .constantFrom(...HIDEABLE)
      .chain(addressIn)
      .map(neighbourOf)
      .chain(spellingOf);
    const taken = fc.sample(near, seeded(100)).filter((address) => {
      const objects = renderUnlessRefused({ apiServer: { addresses: [address] } });
      if (objects === undefined) return false;
      const settings = inventorySettings(parseFlags(inventoryFlags, argumentsOf(objects, 'inventory') ?? []));
      expect(settings.apiServerAddresses).toEqual([address]);
      return true;
    });
    expect(taken.length).toBeGreaterThan(50);
  });
});

/** Values that a rule of the chart refuses never reach the program: the sample is dropped. */
function renderOrSkip(values: JsonMap): Readonly<Record<string, JsonMap>> {
  const objects = renderUnlessRefused(values);
  fc.pre(objects !== undefined);
  return objects ?? {};
}

function renderUnlessRefused(values: JsonMap): Readonly<Record<string, JsonMap>> | undefined {
  try {
    return render(values);
  } catch (error) {
    if (error instanceof RefusedValues) return undefined;
    throw error;
  }
}
