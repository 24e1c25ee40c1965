import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { crdOf } from './crd.ts';
import { list, obj, str } from './dialect.ts';
import { KINDS } from './kinds.ts';
import { toStructural } from './structural.ts';

describe('the dialect refuses what is not structural or not bounded', () => {
  it.each([
    ['a string without a bound', z.strictObject({ a: z.string() }), /needs maxLength/],
    [
      'a list without a bound',
      z.strictObject({ a: z.array(z.string().max(1)) }),
      /needs maxItems and x-kubernetes-list-type/,
    ],
    ['a map without a bound', z.strictObject({ a: z.record(z.string(), z.string().max(1)) }), /needs maxProperties/],
    ['a union', z.strictObject({ a: z.union([z.string().max(1), z.boolean()]) }), /"anyOf" is not allowed/],
    ['a constant', z.strictObject({ a: z.null() }), /./],
    [
      'a pattern with look-ahead',
      z.strictObject({
        a: z
          .string()
          .max(9)
          .regex(/^(?=a)/),
      }),
      /not RE2/,
    ],
    ['a float', z.strictObject({ a: z.number() }), /number/],
  ])('%s', (_, schema, message) => {
    expect(() => toStructural(schema)).toThrow(message);
  });

  it('accepts the same when it is bounded', () => {
    const schema = obj('o', { a: str('s', { max: 1 }), b: list('l', str('s', { max: 1 }), { max: 2 }) });
    expect(toStructural(schema)).toMatchObject({ type: 'object', required: ['a', 'b'] });
  });
});

describe.each(KINDS)('the CRD of $kind', (kind) => {
  const crd = crdOf(kind);

  it('stays far below the size that a client-side apply can annotate', () => {
    expect(JSON.stringify(crd).length).toBeLessThan(100_000);
  });

  it('is namespaced, has a status subresource, and no field that makes GitOps tools differ', () => {
    expect(crd.spec).toMatchObject({ scope: 'Namespaced', versions: [{ subresources: { status: {} } }] });
    expect(JSON.stringify(crd)).not.toMatch(
      /preserveUnknownFields|"creationTimestamp"|x-kubernetes-preserve-unknown-fields/,
    );
  });
});
