/** What a pod tries, in the form in which it is handed to the pod and back. */

export type Attempt =
  /** One HTTP request to an address: whatever comes back is an answer. */
  | { readonly kind: 'http'; readonly address: string; readonly port: number }
  /** One question for an IPv4 address to a resolver, over UDP. */
  | { readonly kind: 'dns'; readonly server: string; readonly name: string };

/**
 * - `open`: the other side replied. Of a resolver also that there is no such name.
 * - `shut`: nothing came back, or a proxy on the way replied that it will not ask.
 * - `refused`: the other side is there and nobody listens, which no policy does.
 */
export type Outcome = 'open' | 'shut' | 'refused';
