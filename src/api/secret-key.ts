/** Keys of a Secret, as bindings and admission name them. */
import type * as z from 'zod';
import { str } from './dialect.ts';

export const MAX_SECRET_KEYS = 32;

/** What the API server accepts as a key of a Secret or ConfigMap. */
export function secretKey(description: string): z.ZodString {
  return str(description, { min: 1, max: 253, pattern: /^[-._a-zA-Z0-9]+$/ });
}
