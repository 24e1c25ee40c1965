import { describe, expect, it } from 'vitest';
import { egressPolicyCases } from '../../test/cases/egress-policy.cases.ts';
import { policyBundleCases } from '../../test/cases/policy-bundle.cases.ts';
import { runtimeProfileCases } from '../../test/cases/runtime-profile.cases.ts';
import type { SchemaCase } from '../../test/cases/schema-case.ts';
import { secretBindingCases } from '../../test/cases/secret-binding.cases.ts';
import { EgressPolicy } from './egress-policy.ts';
import { checkObject, type Problem, parseSpec } from './kind.ts';
import { PolicyBundle } from './policy-bundle.ts';
import { RuntimeProfile } from './runtime-profile.ts';
import { SecretBinding } from './secret-binding.ts';

type TestedKind = typeof EgressPolicy | typeof RuntimeProfile | typeof SecretBinding | typeof PolicyBundle;

function problemsOf(kind: TestedKind, { metadataName = 'x', spec, before }: SchemaCase): readonly Problem[] {
  // The kinds share every signature but the spec's type, which this table does not know.
  const generic = kind as typeof EgressPolicy;
  const parsed = parseSpec(generic, spec);
  if (!parsed.ok) return parsed.problems;
  const old = before === undefined ? undefined : parseSpec(generic, before);
  if (old?.ok === false) throw new Error('the case before the update is not valid itself');
  return checkObject(generic, {
    name: metadataName,
    spec: parsed.value,
    ...(old === undefined ? {} : { oldSpec: old.value }),
  });
}

describe.each([
  [RuntimeProfile, runtimeProfileCases],
  [EgressPolicy, egressPolicyCases],
  [SecretBinding, secretBindingCases],
  [PolicyBundle, policyBundleCases],
] as const)('$kind in this process', (kind, cases) => {
  it.each(cases.map((item) => [`${item.refused === undefined ? 'accepts' : 'refuses'} ${item.name}`, item] as const))(
    '%s',
    (_, item) => {
      const text = problemsOf(kind, item)
        .map(({ path, message }) => `${path}: ${message}`)
        .join('\n');
      if (item.refused === undefined) expect(text).toBe('');
      else expect(text).toMatch(item.refused);
    },
  );
});

describe('defaults of an EgressPolicy', () => {
  it('are those of the API server, and deny', () => {
    expect(parseSpec(EgressPolicy, { profileRef: { name: 'p' } })).toEqual({
      ok: true,
      value: {
        profileRef: { name: 'p' },
        ipFamilies: ['IPv4', 'IPv6'],
        require: { domainAssurance: 'ResolvedIP', verification: 'Declared' },
        dns: { access: 'None', queries: 'AllowedDomainsOnly' },
        allow: [],
        onRefusal: 'KeepPrevious',
      },
    });
  });
});
