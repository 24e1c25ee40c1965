import { expect, test } from 'vitest';
import { waitFor } from './wait-for.ts';

const quick = { timeoutMs: 60, intervalMs: 5 };

test('returns the value of the first look that is done', async () => {
  let looks = 0;
  const value = await waitFor('three looks', { timeoutMs: 30_000, intervalMs: 1 }, async () => {
    looks += 1;
    return looks === 3 ? { done: true, value: looks } : { done: false, saw: 'fewer' };
  });
  expect(value).toBe(3);
});

test('when time is up, says what was awaited and what was last seen', async () => {
  const wait = waitFor('a pod', quick, async () => ({ done: false, saw: 'Pending' }));
  await expect(wait).rejects.toMatchObject({
    reason: 'NotReady',
    message: 'waited 60 ms for a pod; last seen: Pending',
  });
});

test('a look that throws counts as not yet, and its text is kept', async () => {
  await expect(waitFor('a pod', quick, () => Promise.reject(new Error('refused')))).rejects.toThrow(
    'last seen: refused',
  );
});
