/** Freezes a JSON value all the way down, so that no reader of a cache can change what the others see. Iterative: depth is the tenant's. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'object' && next !== null && !Object.isFrozen(next)) {
      Object.freeze(next);
      pending.push(...Object.values(next));
    }
  }
  return value;
}
