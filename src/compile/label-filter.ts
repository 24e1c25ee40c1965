/**
 * Cilium's filter of the labels that make up a pod's identity: a policy that selects by a label outside of it selects nothing, and what
 * is not selected is open. cilium/cilium: pkg/labelsfilter/filter.go, Documentation/operations/performance/scalability/identity-relevant-labels.rst.
 */

interface Term {
  readonly excludes: boolean;
  readonly pattern: RegExp;
}

/**
 * A source, `!` to exclude, and a pattern. Of regular expressions only what is read the same by every implementation and cannot take
 * long: text, `.`, `\.`, and `.*` at either end. Anything else is not understood.
 */
const TERM = /^(?:([\w-]+):)?(!?)((?:\.\*)?(?:[\w/.-]|\\\.)*(?:\.\*)?)$/;
const MAX_FILTER_LENGTH = 4096;
/** Included whatever the filter includes, in every version. Not so the account: only newer ones do. */
const ALWAYS_INCLUDED = ['io\\.kubernetes\\.pod\\.namespace', 'io\\.cilium\\.k8s\\.policy\\.cluster'];

/** True when the filter surely keeps every one of the labels of a pod. An empty filter keeps them all. */
export function keepsLabels(filter: string, labels: readonly string[]): boolean {
  const terms = parse(filter);
  if (terms === undefined) return false;
  const inclusive = terms.some((item) => !item.excludes);
  const including = [...ALWAYS_INCLUDED.map((text) => term(false, text)), ...terms.filter((item) => !item.excludes)];
  const excluding = terms.filter((item) => item.excludes);
  return labels.every((label) => {
    const excluded = lengths(excluding, label);
    if (!inclusive && excluded.length === 0) return true;
    // The longest match that includes has to be longer than the shortest that excludes.
    return Math.max(0, ...lengths(including, label)) > (excluded.length === 0 ? 0 : Math.min(...excluded));
  });
}

function parse(filter: string): readonly Term[] | undefined {
  if (filter.length > MAX_FILTER_LENGTH) return undefined;
  const words = filter.split(/\s+/).filter((word) => word !== '');
  const terms = words.flatMap((word) => {
    const [, source = 'k8s', not, text = ''] = TERM.exec(word) ?? [];
    return text === '' ? [] : [term(not === '!', text, source)];
  });
  return terms.length === words.length ? terms : undefined;
}

/** The labels of pods have the source `k8s`: a term of another matches none of them, and still makes a filter inclusive. */
function term(excludes: boolean, text: string, source = 'k8s'): Term {
  return { excludes, pattern: source === 'k8s' ? new RegExp(`^${text}`) : /(?!)/ };
}

function lengths(terms: readonly Term[], label: string): readonly number[] {
  return terms.flatMap(({ pattern }) => pattern.exec(label)?.[0].length ?? []);
}
