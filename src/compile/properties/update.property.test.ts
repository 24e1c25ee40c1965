/**
 * Updates never open a window: between any two generations of a policy, each moment that an agent could see is within what the old one or
 * the new one asks for, whatever changes with it (provider, profile, identity, support) and whichever answer of the API server is lost.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type EmittedProvider,
  type Ground,
  ground,
  policyFor,
  type Written,
} from '../../../test/support/arbitrary-policy.ts';
import { factsOn, RESOLVER, withoutCapability } from '../../../test/support/arbitrary-policy-facts.ts';
import { asked } from '../../../test/support/asked.ts';
import { boundaryFlows } from '../../../test/support/boundary-flows.ts';
import { disagreement, emittedEgress, excess } from '../../../test/support/emitted-egress.ts';
import { seeded } from '../../../test/support/seed.ts';
import { ACCOUNTS, type Change, type Moment, watchedNamespace } from '../../../test/support/watched-namespace.ts';
import type { EgressPolicySpec } from '../../api/egress-policy.ts';
import type { Flow } from '../../effective/types.ts';
import { specOf } from '../testing.ts';

const TIMEOUT_MS = 300_000;
const WORLDS: readonly EmittedProvider[] = ['cilium', 'k8s-networkpolicy'];

/** How the policy fares: it can be applied, or it is refused for this reason. */
type Outlook = 'clear' | 'invalid' | 'unsupported' | 'unreported';

interface Step {
  readonly place: Ground;
  readonly written: Written;
  readonly outlook: Outlook;
  readonly fault: Change['fault'];
  readonly salt: number;
}

const outlook = fc.constantFrom<Outlook>('clear', 'clear', 'clear', 'invalid', 'unsupported', 'unreported');
const fault = fc.option(fc.record({ write: fc.nat(3), stored: fc.boolean() }), { nil: undefined });

/** The cluster keeps its families; its provider may change at every step. */
const history = ground('cilium').chain(({ families }) => {
  const step = fc.constantFrom(...WORLDS).chain((provider) => {
    const place: Ground = { provider, families };
    return fc.record({ place: fc.constant(place), written: policyFor(place), outlook, fault, salt: fc.nat() });
  });
  return fc.record({ steps: fc.array<Step>(step, { minLength: 2, maxLength: 4 }), idFrom: fc.nat(6) });
});

const FLAWED = { name: 'flawed', to: [{ cidr: { block: '203.0.113.1/24' } }], ports: [{ port: 443 }] };

function changeOf({ place, written, outlook: how, fault: lost }: Step, id: string | undefined): Change {
  const { id: _, ...rest } = written;
  const spec = { ...rest, ...(id === undefined ? {} : { id }), ...(how === 'invalid' ? { allow: [FLAWED] } : {}) };
  const facts = factsOn(place);
  const known = how === 'unsupported' ? withoutCapability(facts, 'isolation', 'Unsupported') : facts;
  return { spec, facts: how === 'unreported' ? undefined : known, fault: lost };
}

/** What is asked for by one generation, and the provider it was compiled for. */
interface InForce {
  readonly spec: EgressPolicySpec;
  readonly provider: EmittedProvider;
}

function asksFrom(profile: string, policies: readonly InForce[]): (flow: Flow) => boolean {
  const asks = policies.flatMap(({ spec }) => (spec.profileRef.name === profile ? [asked(spec, RESOLVER)] : []));
  return (flow) => asks.some((each) => each(flow));
}

function demandWithin(moment: Moment, policies: readonly InForce[], flows: readonly Flow[]): void {
  for (const [profile, serviceAccountName] of Object.entries(ACCOUNTS)) {
    for (const world of WORLDS) {
      const egress = emittedEgress(moment, { provider: world }, { profile, serviceAccountName });
      if (!egress.isolated) throw new Error('a pod is open');
      const found = excess(egress, asksFrom(profile, policies), flows);
      if (found !== undefined) throw new Error(`a pod of ${profile}: ${found}`);
    }
  }
}

function demandAll(moment: Moment, { spec, provider }: InForce, flows: readonly Flow[]): void {
  const profile = spec.profileRef.name;
  const subject = { profile, serviceAccountName: ACCOUNTS[profile] ?? '' };
  const found = disagreement(emittedEgress(moment, { provider }, subject), asked(spec, RESOLVER), flows);
  if (found !== undefined) throw new Error(`in the end ${found}`);
}

it('each moment of an update is within the old and the new policy, and never open', {
  timeout: TIMEOUT_MS,
}, async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, idFrom }) => {
      const change = watchedNamespace();
      let inForce: InForce | undefined;
      for (const [i, step] of steps.entries()) {
        const spec = specOf(step.written);
        const wanted = step.outlook === 'clear' ? { spec, provider: step.place.provider } : undefined;
        const policies = [inForce, wanted].filter((policy) => policy !== undefined);
        // Of what only one provider can tell apart nothing is sampled: both are looked through.
        const flows = boundaryFlows(
          policies.map((policy) => policy.spec),
          { ...step.place, provider: 'k8s-networkpolicy' },
          step.salt,
        );
        const moments = await change(changeOf(step, i < idFrom ? undefined : 'egress'));
        seen += moments.length;
        for (const moment of moments) demandWithin(moment, policies, flows);
        inForce = wanted ?? (spec.onRefusal === 'DenyAll' ? undefined : inForce);
        const last = moments.at(-1) ?? [];
        if (inForce !== undefined) demandAll(last, inForce, flows);
        else if (last.length > 0) throw new Error(`in the end there still is ${last.map(({ kind }) => kind).join()}`);
      }
    }),
    seeded(1_000),
  );
  expect(seen).toBeGreaterThan(4_000);
});
