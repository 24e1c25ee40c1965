/** The largest policies that the schema allows compile at once, to objects that an API server stores. */
import { describe, expect, it } from 'vitest';
import type { EmittedProvider } from '../../../test/support/arbitrary-policy.ts';
import { requestOn } from '../../../test/support/arbitrary-policy-facts.ts';
import { LARGEST_POLICIES } from '../../../test/support/largest-policies.ts';
import { compile } from '../compile.ts';
import { specOf } from '../testing.ts';

/** Of the processor, as the machine of a test may be busy. They take a tenth of it on one slow core. */
const MAX_MS = 2000;
/** etcd takes 1.5 MiB; the managed fields of an object are about as large as the object. */
const MAX_BYTES = 700 * 1024;

const cases = LARGEST_POLICIES.flatMap(({ what, spec, plain }) => [
  { what, spec, provider: 'cilium' as const },
  ...(plain ? [{ what, spec, provider: 'k8s-networkpolicy' as const }] : []),
]) satisfies readonly { readonly provider: EmittedProvider }[];

describe('the largest valid policies', () => {
  it.each(cases)('$what, for $provider', ({ spec, provider }) => {
    const place = { provider, families: ['IPv4', 'IPv6'] as const };
    const start = process.threadCpuUsage();
    const { result, problems, support } = compile(requestOn(place, specOf(spec)));
    const tookMs = process.threadCpuUsage(start).user / 1000;
    expect({ problems, support: support.state }).toEqual({ problems: [], support: 'Supported' });
    expect(tookMs).toBeLessThan(MAX_MS);
    expect(JSON.stringify(result?.outputs).length).toBeLessThan(MAX_BYTES);
  });
});
