import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EmittedProvider } from '../../../test/support/arbitrary-policy.ts';
import { anyFacts, LIMITS, OWNER, SUBJECT } from '../../../test/support/arbitrary-policy-facts.ts';
import { demandExact, settings } from '../../../test/support/output-demands.ts';
import { seeded } from '../../../test/support/seed.ts';
import { compile } from '../compile.ts';
import { specOf } from '../testing.ts';

const EMITTERS: readonly EmittedProvider[] = ['cilium', 'k8s-networkpolicy'];
const TIMEOUT_MS = 120_000;

describe.each(EMITTERS)('a policy for %s', (provider) => {
  it('is compiled to all that it asks for or to nothing, whatever a report claims', { timeout: TIMEOUT_MS }, () => {
    let compiled = 0;
    fc.assert(
      fc.property(settings(provider), anyFacts, (setting, facts) => {
        const spec = specOf(setting.written);
        const { result } = compile({ owner: OWNER, spec, subject: SUBJECT, facts, limits: LIMITS });
        if (result === undefined || facts.state !== 'Known') return;
        // The report may be of another provider than the policy was written for.
        const emitter = EMITTERS.find((each) => each === facts.provider.name);
        if (emitter === undefined) throw new Error(`compiled for ${facts.provider.name}`);
        const { version } = facts.provider;
        demandExact(result.outputs, spec, { ...setting, place: { ...setting.place, provider: emitter }, version });
        compiled += 1;
      }),
      seeded(2_000),
    );
    expect(compiled).toBeGreaterThan(200);
  });
});
