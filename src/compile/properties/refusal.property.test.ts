/** A policy that needs what the cluster lacks leaves nothing: no object, no part of one. One that does not need it is compiled as before. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type EmittedProvider, ground, policyFor } from '../../../test/support/arbitrary-policy.ts';
import { factsOn, poisoned, requestOn, withoutCapability } from '../../../test/support/arbitrary-policy-facts.ts';
import { flawedPolicyFor } from '../../../test/support/arbitrary-policy-flaws.ts';
import { restsOn } from '../../../test/support/needs.ts';
import { seeded } from '../../../test/support/seed.ts';
import { CAPABILITIES, type Capability } from '../../api/capability.ts';
import { type Compilation, type CompileRequest, compile } from '../compile.ts';
import type { Facts } from '../facts.ts';
import { specOf } from '../testing.ts';

const TIMEOUT_MS = 300_000;

function demandNothing(compilation: Compilation, why: string): void {
  if ('result' in compilation) throw new Error(`compiled ${why}: ${JSON.stringify(compilation.result)}`);
}

function demandRefusal(request: CompileRequest, capability: Capability): void {
  const compilation = compile(request);
  demandNothing(compilation, `without ${capability}`);
  const { support } = compilation;
  const missing = support.state === 'Unsupported' ? support.missing : [];
  if (missing.length === 0 || missing.some((each) => each.capability !== capability)) {
    throw new Error(`without ${capability} refused for ${JSON.stringify(support)}`);
  }
}

describe.each<EmittedProvider>(['cilium', 'k8s-networkpolicy'])('%s', (provider) => {
  const settings = ground(provider).chain((place) => fc.tuple(fc.constant(place), policyFor(place)));
  const how = fc.constantFrom('Unsupported' as const, 'Unknown' as const, 'absent' as const);

  it('without a capability that it rests on, a policy leaves nothing; any other one changes nothing', {
    timeout: TIMEOUT_MS,
  }, () => {
    const seen = new Set<Capability>();
    fc.assert(
      fc.property(settings, how, ([place, written], state) => {
        const request = requestOn(place, specOf(written));
        const facts = factsOn(place);
        const whole = JSON.stringify(compile(request).result);
        for (const capability of CAPABILITIES) {
          const lesser = { ...request, facts: withoutCapability(facts, capability, state) };
          if (restsOn(request.spec, capability)) {
            seen.add(capability);
            demandRefusal(lesser, capability);
          } else if (JSON.stringify(compile(lesser).result) !== whole) {
            throw new Error(`${capability} decides about the output, though nothing rests on it`);
          }
        }
      }),
      seeded(1_000),
    );
    const supported = [...factsOn({ provider, families: ['IPv4'] }).capabilities]
      .filter(([, { state }]) => state === 'Supported')
      .map(([capability]) => capability);
    const untried = supported.filter((capability) => !seen.has(capability));
    if (untried.length > 0) throw new Error(`no policy rested on ${untried.join(', ')}`);
  });

  it('where the API server is said to be at an address that no policy may open, a policy that rests on it leaves nothing', {
    timeout: TIMEOUT_MS,
  }, () => {
    let refused = 0;
    fc.assert(
      fc.property(settings, poisoned, ([place, written], apiServerAddresses) => {
        const request = requestOn(place, specOf(written));
        const lesser = { ...request, facts: { ...factsOn(place), apiServerAddresses } };
        // Cilium has a name for it.
        if (provider !== 'cilium' && restsOn(request.spec, 'kubeAPIServer')) {
          refused += 1;
          demandRefusal(lesser, 'kubeAPIServer');
        } else if (JSON.stringify(compile(lesser).result) !== JSON.stringify(compile(request).result)) {
          throw new Error('addresses decide about the output, though nothing rests on them');
        }
      }),
      seeded(1_000),
    );
    if (provider !== 'cilium' && refused < 100) throw new Error(`only ${refused} policies rested on the addresses`);
  });

  it('without a provider that enforces it, or a report that is fresh, a policy leaves nothing', {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(settings, ([place, written]) => {
        const request = requestOn(place, specOf(written));
        const known = factsOn(place);
        const blind: readonly Facts[] = [
          { state: 'Missing' },
          { state: 'Stale', observedAt: '2026-01-01T00:00:00Z' },
          { ...known, provider: { name: 'none' } },
          { ...known, provider: { name: 'ambiguous' } },
        ];
        for (const facts of blind) demandNothing(compile({ ...request, facts }), JSON.stringify(facts));
        demandNothing(compile({ ...request, subject: undefined }), 'without a subject');
      }),
      seeded(500),
    );
  });

  it('a policy with one flaw leaves nothing, and the flaw is named by rule and index', { timeout: TIMEOUT_MS }, () => {
    const flawed = ground(provider).chain((place) => fc.tuple(fc.constant(place), flawedPolicyFor(place)));
    fc.assert(
      fc.property(flawed, ([place, { written, rule, index }]) => {
        const compilation = compile(requestOn(place, specOf(written)));
        demandNothing(compilation, 'in spite of a flaw');
        const named = compilation.problems.filter((problem) => problem.rule === rule && problem.index === index);
        if (named.length === 0) throw new Error(`the flaw is not named: ${JSON.stringify(compilation.problems)}`);
        if (named.length < compilation.problems.length) throw new Error('something else is named');
      }),
      seeded(2_000),
    );
  });
});
