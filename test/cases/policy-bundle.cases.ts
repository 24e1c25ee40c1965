import type { SchemaCase } from './schema-case.ts';

const rule = { id: 'read', effect: 'Allow', server: 'github', tools: ['get_issue', 'search_*'] };
const inline = (...rules: readonly unknown[]) => ({ profileRef: { name: 'research' }, source: { inline: { rules } } });
const valid = inline(rule);
const configMapRef = { name: 'tools', key: 'bundle.json', sha256: '0'.repeat(64) };
const referring = (ref: object) => ({ profileRef: { name: 'research' }, source: { configMapRef: ref } });

export const policyBundleCases: readonly SchemaCase[] = [
  { name: 'one rule', spec: valid },
  { name: 'no rule: every tool is denied', spec: inline() },
  { name: 'rules of a ConfigMap', spec: referring(configMapRef) },
  { name: 'both targets', spec: { ...valid, targets: ['Cedar', 'JSON'] } },
  { name: 'no target', spec: { ...valid, targets: [] }, refused: /targets/ },
  { name: 'a target twice', spec: { ...valid, targets: ['JSON', 'JSON'] }, refused: /targets.*(unique|[Dd]uplicate)/s },
  { name: 'a target that does not exist', spec: { ...valid, targets: ['Rego'] }, refused: /targets/ },
  {
    name: 'no source',
    spec: { profileRef: { name: 'research' }, source: {} },
    refused: /exactly one of inline, configMapRef/,
  },
  {
    name: 'two sources',
    spec: { profileRef: { name: 'research' }, source: { inline: { rules: [rule] }, configMapRef } },
    refused: /exactly one of inline, configMapRef/,
  },
  {
    name: 'every effect',
    spec: inline(...['Allow', 'Ask', 'Deny'].map((effect) => ({ ...rule, id: effect.toLowerCase(), effect }))),
  },
  { name: 'an effect that does not exist', spec: inline({ ...rule, effect: 'Maybe' }), refused: /effect/ },
  { name: 'an effect left out', spec: inline({ ...rule, effect: undefined }), refused: /effect/ },
  { name: 'two rules of one id', spec: inline(rule, rule), refused: /rules.*(unique|[Dd]uplicate)/s },
  { name: 'every tool of a server', spec: inline({ ...rule, tools: ['*'] }) },
  { name: 'a pattern with text around it', spec: inline({ ...rule, tools: ['get_*_v2', '*_read'] }) },
  { name: 'two stars together', spec: inline({ ...rule, tools: ['a**'] }), refused: /tools/ },
  { name: 'no tool', spec: inline({ ...rule, tools: [] }), refused: /tools/ },
  { name: 'an empty tool', spec: inline({ ...rule, tools: [''] }), refused: /tools/ },
  { name: 'a tool with a space', spec: inline({ ...rule, tools: ['get issue'] }), refused: /tools/ },
  { name: 'a tool with a quote', spec: inline({ ...rule, tools: ['a"b'] }), refused: /tools/ },
  { name: 'a server with a star', spec: inline({ ...rule, server: 'git*' }), refused: /server/ },
  { name: 'a digest in upper case', spec: referring({ ...configMapRef, sha256: 'A'.repeat(64) }), refused: /sha256/ },
  {
    name: 'a digest that is too short',
    spec: referring({ ...configMapRef, sha256: '0'.repeat(63) }),
    refused: /sha256/,
  },
  {
    name: 'a ConfigMap of another namespace',
    spec: referring({ ...configMapRef, namespace: 'other' }),
    refused: /namespace/,
  },
  { name: 'an unknown field', spec: { ...valid, rules: [] }, refused: /rules/ },
  {
    name: 'an id changed',
    before: { ...valid, id: 'a' },
    spec: { ...valid, id: 'b' },
    refused: /spec.id is immutable/,
  },
];
