import { describe, expect, it } from 'vitest';
import { EgressPolicy } from './egress-policy.ts';
import { parseSpec } from './kind.ts';

/** From text, as it comes: an object literal cannot have a key `__proto__`. */
function problemsOf(podLabels: string, more = ''): string[] {
  const to = `[{"workloads":{"namespace":"mcp","podLabels":${podLabels}}}]`;
  const rule = `{"name":"tools","to":${to},"ports":[{"port":443}]}`;
  const parsed = parseSpec(EgressPolicy, JSON.parse(`{"profileRef":{"name":"research"},"allow":[${rule}]${more}}`));
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

const LABELS = 'spec.allow[0].to[0].workloads.podLabels';

describe('a refusal', () => {
  it('does not come for labels that are called like members of every object', () => {
    expect(problemsOf('{"constructor":"x","toString":"y"}')).toEqual([]);
  });

  it('comes for a label __proto__, which would else be left out, and more pods opened than asked for', () => {
    expect(problemsOf('{"app":"tool","__proto__":"x"}')).toEqual([`${LABELS}.__proto__: no key may be __proto__`]);
  });

  it('names each unknown field at its own place', () => {
    expect(problemsOf('{"app":"tool"}', ',"podSelector":{},"default":"Allow"')).toEqual([
      'spec.podSelector: unknown field',
      'spec.default: unknown field',
    ]);
  });

  it('repeats nothing of a key that a terminal would obey, and only the start of a long one', () => {
    expect(problemsOf('{"app":"tool"}', ',"\\u001b[31m\\u202e":1')).toEqual([
      'spec[\\u{1b}[31m\\u{202e}]: unknown field',
    ]);
    expect(problemsOf('{"app":"tool"}', `,"${'k'.repeat(10_000)}":1`)).toEqual([
      `spec[${'k'.repeat(64)}...]: unknown field`,
    ]);
  });

  it('has an end', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `,"field${i}":1`).join('');
    const problems = problemsOf('{"app":"tool"}', many);
    expect(problems).toHaveLength(65);
    expect(problems.at(-1)).toBe('spec: 936 more problems');
  });
});
