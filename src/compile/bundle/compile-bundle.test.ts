import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compileBundle, MAX_DATA_BYTES } from './compile-bundle.ts';
import { TARGETS } from './targets.ts';
import { bundleOf, bundleOwner, bundleRequest, RULES } from './testing.ts';

describe('the output', () => {
  it('is an immutable ConfigMap with the marks of everything that is generated', () => {
    expect(bundleOf()).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      immutable: true,
      metadata: {
        name: expect.stringMatching(/^ap-bundle-[0-9a-f]{32}$/),
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/managed-by': 'agentplane',
          'agentplane.dev/policy': expect.stringMatching(/^[0-9a-f]{16}$/),
        },
        ownerReferences: [{ kind: 'PolicyBundle', name: 'research-tools', uid: bundleOwner.uid, controller: true }],
      },
    });
  });

  it('holds the formats that are asked for, and no other', () => {
    const keys = (...targets: readonly ('Cedar' | 'JSON')[]) => Object.keys(bundleOf({ targets }).data).sort();
    expect(keys('JSON')).toEqual(['tool-policy.json']);
    expect(keys('Cedar')).toEqual(['policies.cedar.json', 'schema.cedar.json']);
    expect(keys('JSON', 'Cedar')).toEqual(['policies.cedar.json', 'schema.cedar.json', 'tool-policy.json']);
  });

  it('is addressed by its content, as anybody can compute it from the object', () => {
    const compilation = compileBundle(bundleRequest());
    if (compilation.kind !== 'Compiled') throw new Error(compilation.kind);
    const { data } = compilation.output;
    const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
    const hash = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
    expect(compilation.digest).toBe(`sha256:${hash}`);
  });

  it('has another name for another content, another identity, or another profile; the order of anything is none of it', () => {
    const { name } = bundleOf().metadata;
    const same = [
      { rules: RULES.toReversed() },
      { rules: RULES.map((rule) => ({ ...rule, tools: rule.tools.toReversed() })) },
      { targets: ['JSON', 'Cedar'] as const },
      { owner: { ...bundleOwner, name: 'renamed' } },
    ];
    for (const parts of same) expect(bundleOf(parts).metadata.name).toBe(name);
    const other = [
      { rules: RULES.slice(1) },
      { rules: RULES.map((rule) => ({ ...rule, effect: 'Deny' as const })) },
      { targets: ['JSON'] as const },
      { owner: { ...bundleOwner, uid: 'another' } },
      { owner: { ...bundleOwner, id: 'tools' } },
      { profile: 'another' },
    ];
    expect(new Set([name, ...other.map((parts) => bundleOf(parts).metadata.name)]).size).toBe(other.length + 1);
  });

  it('says of itself what it means', () => {
    expect(JSON.parse(bundleOf({ rules: [] }).data['tool-policy.json'] ?? '')).toEqual({
      format: 'agentplane.dev/tool-policy/v1',
      semantics: { default: 'Deny', precedence: ['Deny', 'Ask', 'Allow'], wildcard: '*' },
      subject: { namespace: 'team-a', profile: 'research' },
      rules: [],
    });
  });
});

describe('a target that cannot say everything', () => {
  const cannotAsk = {
    ...TARGETS,
    Cedar: { ...TARGETS.Cedar, expresses: TARGETS.Cedar.expresses.filter((need) => need !== 'effect.Ask') },
  };

  it('is refused by rule, target and what it lacks, and nothing weaker is written', () => {
    expect(compileBundle(bundleRequest(), cannotAsk)).toEqual({
      kind: 'Inexpressible',
      inexpressible: [{ rule: 'write', target: 'Cedar', need: 'effect.Ask' }],
    });
  });

  it('is none where it is not asked for, or not needed', () => {
    expect(compileBundle(bundleRequest({ targets: ['JSON'] }), cannotAsk).kind).toBe('Compiled');
    const rules = RULES.filter(({ effect }) => effect !== 'Ask');
    expect(compileBundle(bundleRequest({ rules }), cannotAsk).kind).toBe('Compiled');
  });

  it('may lack patterns', () => {
    const exactOnly = { ...TARGETS, JSON: { ...TARGETS.JSON, expresses: ['effect.Allow'] as const } };
    const rules = [
      { id: 'exact', effect: 'Allow' as const, server: 's', tools: ['a', 'b'] },
      { id: 'pattern', effect: 'Allow' as const, server: 's', tools: ['a', 'b*'] },
    ];
    expect(compileBundle(bundleRequest({ rules }), exactOnly)).toEqual({
      kind: 'Inexpressible',
      inexpressible: [{ rule: 'pattern', target: 'JSON', need: 'tools.pattern' }],
    });
  });
});

describe('the size', () => {
  const rulesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: `r${i}`,
      effect: 'Ask' as const,
      server: 's',
      tools: Array.from({ length: 64 }, (_, j) => `${i}-${j}-`.padEnd(128, 'x')),
    }));

  it('is what an API server takes, to the byte', () => {
    const fits = bundleOf({ rules: rulesOf(32) });
    const bytes = Object.values(fits.data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeGreaterThan(MAX_DATA_BYTES / 2);
    const tooLarge = compileBundle(bundleRequest({ rules: rulesOf(256) }));
    expect(tooLarge).toEqual({ kind: 'TooLarge', bytes: expect.any(Number) });
    expect(tooLarge.kind === 'TooLarge' && tooLarge.bytes).toBeGreaterThan(MAX_DATA_BYTES);
  });
});
