/**
 * What a canary has seen, as it stands in the status of its pod. Written by the canary, read by the probe; imports nothing, for the canary
 * starts in a hurry.
 *
 * - `answered`: the target said what was expected, a resolver answered;
 * - `connected`: a connection was made, and nothing, or something else, was said;
 * - `refused`: somebody said no; `unresolved`: a resolver did; `silent`: nothing came back; `failed`: it could not be tried.
 */
export const OUTCOMES = ['answered', 'connected', 'refused', 'unresolved', 'silent', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Seen {
  /** The best of all tries: once through is through. */
  readonly outcome: Outcome;
  /** Milliseconds from the start of the process to the try that had it. */
  readonly atMs: number;
  readonly tries: number;
  /** What a name led to. */
  readonly addresses: readonly string[];
}

export interface Observation {
  /** When the first try began, in milliseconds from the start of the process. */
  readonly firstMs: number;
  /** The families of which the pod has an address that others can reach. */
  readonly families: readonly ('IPv4' | 'IPv6')[];
  /** In the order in which the attempts were given. */
  readonly seen: readonly Seen[];
}

/** The bound of the kubelet: pkg/kubelet/container, MaxPodTerminationMessageLogLength of 4096 bytes for a container. */
export const MAX_MESSAGE_BYTES = 4096;
const MAX_ADDRESSES = 4;

/** Short, since a message that is cut is none: addresses go first. Throws where even that is too long. */
export function encodeObservation(observation: Observation): string {
  for (const most of [MAX_ADDRESSES, 1, 0]) {
    const { firstMs, families, seen } = observation;
    const rows = seen.map(({ outcome, atMs, tries, addresses }) => [
      OUTCOMES.indexOf(outcome),
      Math.round(atMs),
      tries,
      ...addresses.slice(0, most),
    ]);
    const text = JSON.stringify({ v: 1, first: Math.round(firstMs), families, seen: rows });
    if (text.length <= MAX_MESSAGE_BYTES) return text;
  }
  throw new Error(`what was seen does not fit into ${MAX_MESSAGE_BYTES} bytes: fewer attempts`);
}

/** Undefined for what no canary has written. `attempts` is how many it was given. */
export function decodeObservation(text: string, attempts: number): Observation | undefined {
  const value = parsed(text);
  if (value === undefined || value.v !== 1) return undefined;
  const { first, families, seen } = value;
  if (typeof first !== 'number' || !Array.isArray(families) || !Array.isArray(seen)) return undefined;
  const rows = seen.map(seenOf);
  if (rows.length !== attempts || rows.includes(undefined)) return undefined;
  return {
    firstMs: first,
    families: families.filter((family) => family === 'IPv4' || family === 'IPv6'),
    seen: rows.filter((row) => row !== undefined),
  };
}

function seenOf(row: unknown): Seen | undefined {
  if (!Array.isArray(row)) return undefined;
  const [index, atMs, tries, ...addresses] = row as unknown[];
  const outcome = typeof index === 'number' ? OUTCOMES[index] : undefined;
  if (outcome === undefined || typeof atMs !== 'number' || typeof tries !== 'number') return undefined;
  return { outcome, atMs, tries, addresses: addresses.filter((address) => typeof address === 'string') };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
