/** The same value, written in another order: lists of objects and of strings, and the keys of every object. */

/** `salt` decides the order. The type stays: order is all that changes. */
export function rearranged<T>(value: T, salt: number): T {
  return shuffle(value, orderBy(salt)) as T;
}

function shuffle(value: unknown, order: (size: number) => number): unknown {
  if (Array.isArray(value)) return shuffled(value, order).map((each) => shuffle(each, order));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    shuffled(Object.entries(value), order).map(([key, member]) => [key, shuffle(member, order)]),
  );
}

function shuffled<T>(items: readonly T[], order: (size: number) => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(order(left.length), 1));
}

/** A linear congruential generator (Numerical Recipes): the same salt gives the same order. */
function orderBy(salt: number): (size: number) => number {
  let state = salt >>> 0;
  return (size) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * size);
  };
}
