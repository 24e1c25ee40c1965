export interface Notifier<T> {
  add(handler: (value: T) => void): () => void;
  notify(value: T): void;
}

/** Calls every handler with every value; a handler that throws, or returns a promise that rejects, stops neither the others nor the caller. */
export function createNotifier<T>(onError: (error: unknown, value: T) => void): Notifier<T> {
  const handlers = new Set<(value: T) => unknown>();
  const call = (handler: (value: T) => unknown, value: T) => {
    try {
      const result = handler(value);
      // An async function fits the void signature; its rejection would otherwise end the process.
      if (result instanceof Promise) {
        result.catch((error: unknown) => onError(error, value));
      }
    } catch (error) {
      onError(error, value);
    }
  };
  return {
    add: (handler) => {
      // A wrapper per registration, so that adding one function twice and removing it once leaves one.
      const registration = (value: T) => handler(value);
      handlers.add(registration);
      return () => handlers.delete(registration);
    },
    notify: (value) => {
      for (const handler of [...handlers]) {
        call(handler, value);
      }
    },
  };
}
