import { describe, expect, it } from 'vitest';
import { coalesce } from './coalesce.ts';

describe("a user's values over the defaults", () => {
  it('merge maps, replace lists and scalars, and delete with null', () => {
    const defaults = { map: { a: 1, b: 2 }, list: [1, 2], gone: 'x', kept: true };
    const values = { map: { b: 3, c: 4 }, list: [], gone: null, more: 'y' };
    expect(coalesce(defaults, values)).toEqual({ map: { a: 1, b: 3, c: 4 }, list: [], kept: true, more: 'y' });
  });

  it('leave the defaults as they were', () => {
    const defaults = { map: { a: 1 } };
    coalesce(defaults, { map: { a: null } });
    expect(defaults).toEqual({ map: { a: 1 } });
  });
});
