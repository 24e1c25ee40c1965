import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/support/seed.ts';
import { openings } from './compare.ts';
import { decide } from './decide.ts';
import { describeGrant } from './describe.ts';
import { effectiveEgress } from './evaluate.ts';
import { naiveAllows } from './testing/naive.ts';
import { SUBJECT } from './testing/scene.ts';
import {
  addingCiliumPolicy,
  FLOWS,
  type Policies,
  someNetworkPolicy,
  somePolicies,
  UNIVERSE,
} from './testing/universe.ts';
import type { Egress, Flow } from './types.ts';

const RUNS = seeded(200);

const judge = (policies: Policies): Egress => effectiveEgress(SUBJECT, policies, UNIVERSE);
const allows = (egress: Egress, flow: Flow): boolean => decide(egress, flow).allowed;
const join = (a: Policies, b: Partial<Policies>): Policies => ({
  networkPolicies: [...a.networkPolicies, ...(b.networkPolicies ?? [])],
  ciliumPolicies: [...a.ciliumPolicies, ...(b.ciliumPolicies ?? [])],
});
/** Grants by themselves: without isolation nothing is filtered. */
const alone = (grants: Egress['grants']): Egress => ({ isolated: false, grants, denies: [] });

describe('the judge', () => {
  it('says of every flow what the plainest reading of the policies says', () => {
    fc.assert(
      fc.property(somePolicies, (policies) => {
        const egress = judge(policies);
        const differing = FLOWS.filter((flow) => {
          const { allowed, unknown } = decide(egress, flow);
          return unknown === undefined && allowed !== naiveAllows(policies, SUBJECT.labels, flow);
        });
        expect(differing).toEqual([]);
      }),
      RUNS,
    );
  });

  it('misses no flow that one set of policies allows and another does not', () => {
    fc.assert(
      fc.property(somePolicies, somePolicies, (first, second) => {
        const [before, after] = [judge(first), judge(second)];
        const opened = alone(openings(before, after));
        const missed = FLOWS.filter((flow) => allows(after, flow) && !allows(before, flow) && !allows(opened, flow));
        expect(missed).toEqual([]);
      }),
      RUNS,
    );
  });

  it('gives as opened nothing that was allowed, where destination and port are told by addresses, labels and numbers', () => {
    fc.assert(
      fc.property(somePolicies, somePolicies, (first, second) => {
        // Which number a name stands for is not known.
        fc.pre(!JSON.stringify([first, second]).includes('"web"'));
        const [before, after] = [judge(first), judge(second)];
        const exact = openings(before, after).filter(({ peer }) => peer.kind !== 'everything');
        // Of an address that a name led to, a block may be opened all the same: the name may lead elsewhere tomorrow.
        const tried = FLOWS.filter(
          ({ to, query }) => query === undefined && (to.kind !== 'external' || to.names?.length === 0),
        );
        const wrong = tried.filter(
          (flow) => allows(alone(exact), flow) && (allows(before, flow) || !allows(after, flow)),
        );
        expect(wrong).toEqual([]);
      }),
      RUNS,
    );
  });

  it('finds nothing opened between a set and itself, in another order, or with less in it', () => {
    fc.assert(
      fc.property(somePolicies, (policies) => {
        const { networkPolicies, ciliumPolicies } = policies;
        const reversed = { networkPolicies: networkPolicies.toReversed(), ciliumPolicies: ciliumPolicies.toReversed() };
        expect(openings(judge(policies), judge(policies)).map(describeGrant)).toEqual([]);
        expect(openings(judge(policies), judge(reversed)).map(describeGrant)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('closes nothing by adding a policy to what is isolated, unless that denies or filters', () => {
    const added = fc.oneof(
      someNetworkPolicy.map((policy) => ({ networkPolicies: [policy] })),
      addingCiliumPolicy.map((policy) => ({ ciliumPolicies: [policy] })),
    );
    fc.assert(
      fc.property(somePolicies, added, (policies, more) => {
        const before = judge(policies);
        fc.pre(before.isolated);
        expect(openings(judge(join(policies, more)), before).map(describeGrant)).toEqual([]);
      }),
      RUNS,
    );
  });
});
