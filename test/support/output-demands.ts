/** What is true of everything that compilation gives out, whatever is asked. Each demand throws what it found. */
import fc from 'fast-check';
import type { EgressPolicySpec } from '../../src/api/egress-policy.ts';
import { compile } from '../../src/compile/compile.ts';
import type { DesiredObject } from '../../src/compile/names.ts';
import { specOf } from '../../src/compile/testing.ts';
import { type EmittedProvider, type Ground, ground, policyFor, type Written } from './arbitrary-policy.ts';
import { factsOn, RESOLVER, requestOn } from './arbitrary-policy-facts.ts';
import { asked } from './asked.ts';
import { boundaryFlows } from './boundary-flows.ts';
import { disagreement, emittedEgress } from './emitted-egress.ts';
import { inventedAddresses, looseEnds } from './output-form.ts';
import { rearranged } from './rearranged.ts';

export interface Setting {
  readonly place: Ground;
  /** A policy that can be expressed there. */
  readonly written: Written;
  /** Decides the order of rearranging, and what is sampled of a large policy. */
  readonly salt: number;
}

export function settings(provider: EmittedProvider): fc.Arbitrary<Setting> {
  return ground(provider).chain((place) =>
    fc.record({ place: fc.constant(place), written: policyFor(place), salt: fc.nat() }),
  );
}

/** All of the below, on one compilation: generating a policy costs more than compiling it. */
export function demandAll(setting: Setting): void {
  const spec = specOf(setting.written);
  const { result, problems, support } = compile(requestOn(setting.place, spec));
  if (result === undefined) throw new Error(`refused: ${JSON.stringify({ problems, support: support.state })}`);
  demandForm(result.outputs, spec);
  demandExact(result.outputs, spec, setting);
  demandSameBytes(JSON.stringify(result), setting);
}

/** The outputs allow exactly what the spec asks for, no more and no less, and leave the pod shut for all else. */
export function demandExact(
  outputs: readonly DesiredObject[],
  spec: EgressPolicySpec,
  { place, salt, version }: Setting & { readonly version?: string | undefined },
): void {
  const egress = emittedEgress(outputs, { provider: place.provider, version });
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

function demandSameBytes(bytes: string, { place, written, salt }: Setting): void {
  const facts = { ...factsOn(place), dns: rearranged(RESOLVER, salt) };
  const other = compile({ ...requestOn(place, specOf(rearranged(written, salt))), facts });
  const otherBytes = JSON.stringify(other.result);
  if (bytes === otherBytes) return;
  throw new Error(`the order in which the policy is written changes its output:\n${bytes}\n${otherBytes}`);
}
