/** What is true of everything that compilation gives out, whatever is asked. One generation serves all of it: that is most of the time. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  type EmittedProvider,
  type Ground,
  ground,
  policyFor,
  type Written,
} from '../../../test/support/arbitrary-policy.ts';
import {
  anyFacts,
  factsOn,
  LIMITS,
  OWNER,
  RESOLVER,
  requestOn,
  SUBJECT,
} from '../../../test/support/arbitrary-policy-facts.ts';
import { asked } from '../../../test/support/asked.ts';
import { boundaryFlows } from '../../../test/support/boundary-flows.ts';
import { disagreement, emittedEgress } from '../../../test/support/emitted-egress.ts';
import { inventedAddresses, looseEnds } from '../../../test/support/output-form.ts';
import { rearranged } from '../../../test/support/rearranged.ts';
import { seeded } from '../../../test/support/seed.ts';
import type { EgressPolicySpec } from '../../api/egress-policy.ts';
import { compile } from '../compile.ts';
import type { DesiredObject } from '../names.ts';
import { specOf } from '../testing.ts';

const EMITTERS: readonly EmittedProvider[] = ['cilium', 'k8s-networkpolicy'];
const TIMEOUT_MS = 300_000;

interface Setting {
  readonly place: Ground;
  /** A policy that can be expressed there. */
  readonly written: Written;
  /** Decides the order of rearranging, and what is sampled of a large policy. */
  readonly salt: number;
}

function settings(provider: EmittedProvider): fc.Arbitrary<Setting> {
  return ground(provider).chain((place) =>
    fc.record({ place: fc.constant(place), written: policyFor(place), salt: fc.nat() }),
  );
}

/** That the outputs allow exactly what the spec asks for, no more and no less, and leave the pod shut for all else. */
function demandExact(outputs: readonly DesiredObject[], spec: EgressPolicySpec, { place, salt }: Setting): void {
  const egress = emittedEgress(outputs, place.provider);
  if (!egress.isolated) throw new Error('the pod is open');
  const found = disagreement(egress, asked(spec, RESOLVER), boundaryFlows([spec], place, salt));
  if (found !== undefined) throw new Error(found);
}

function demandForm(outputs: readonly DesiredObject[], spec: EgressPolicySpec): void {
  if (outputs.length !== 1) throw new Error(`${outputs.length} outputs`);
  const found = outputs.flatMap((output) => [
    ...looseEnds(spec, output).map((end) => `loose end: ${end}`),
    ...inventedAddresses(spec, output).map((address) => `an address that nobody gave: ${address}`),
  ]);
  if (found.length > 0) throw new Error(found.join('; '));
}

function demandSameBytes({ place, written, salt }: Setting): void {
  const one = compile(requestOn(place, specOf(written)));
  const request = requestOn(place, specOf(rearranged(written, salt)));
  const facts = { ...factsOn(place), dns: rearranged(RESOLVER, salt) };
  const other = compile({ ...request, facts });
  const [a, b] = [JSON.stringify(one.result), JSON.stringify(other.result)];
  if (a !== b) throw new Error(`the order in which the policy is written changes its output:\n${a}\n${b}`);
}

describe.each(EMITTERS)('%s', (provider) => {
  it('10,000 policies allow exactly what they ask for, have no loose end, and are the same bytes in any order', {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(settings(provider), (setting) => {
        const { place, written } = setting;
        const spec = specOf(written);
        const { result, problems, support } = compile(requestOn(place, spec));
        if (result === undefined) throw new Error(`refused: ${JSON.stringify({ problems, support: support.state })}`);
        demandForm(result.outputs, spec);
        demandExact(result.outputs, spec, setting);
        demandSameBytes(setting);
      }),
      seeded(10_000),
    );
  });

  it('whatever a report claims, a policy is compiled to all that it asks for, or to nothing', {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(settings(provider), anyFacts, (setting, facts) => {
        const spec = specOf(setting.written);
        const { result } = compile({ owner: OWNER, spec, subject: SUBJECT, facts, limits: LIMITS });
        if (result === undefined || facts.state !== 'Known') return;
        // The report may be of another provider than the policy was written for.
        const emitter = EMITTERS.find((each) => each === facts.provider.name);
        if (emitter === undefined) throw new Error(`compiled for ${facts.provider.name}`);
        demandExact(result.outputs, spec, { ...setting, place: { ...setting.place, provider: emitter } });
      }),
      seeded(2_000),
    );
  });
});
