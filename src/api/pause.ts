/** `spec.pause`: for a while, what others change in the generated objects is reported and not undone. docs/operations.md. */
import type * as z from 'zod';
import { freeText, obj, time, withRules } from './dialect.ts';

export const pause = withRules(
  obj('Leaves what others change in the generated objects as it is, until a time. Stops nothing else.', {
    reason: freeText('Why, for whoever reads the status.', { min: 1, max: 256 }),
    until: time('When the generated objects are restored, at most seven days ahead. RFC 3339.'),
  }),
  [
    {
      // Fails as well where the text is no time, such as 30 February.
      rule: "timestamp(self.until) >= timestamp('2000-01-01T00:00:00Z')",
      message: 'until must be a time that exists, such as 2030-01-31T18:00:00Z',
      check: ({ until }) => isInstant(until) && Date.parse(until) >= Date.UTC(2000, 0),
    },
  ],
).optional();

export type PauseSpec = NonNullable<z.output<typeof pause>>;

/** `Date.parse` alone takes 30 February for 1 March, and 24:00 for the next day. */
function isInstant(text: string): boolean {
  const [day, clock = ''] = text.split('T');
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(Date.parse(text)) || Number.isNaN(midnight) || clock.startsWith('24')) return false;
  return new Date(midnight).toISOString().startsWith(day ?? '');
}
