/** Generated ports, names and pods: each valid by itself, and often at a boundary of what the schema allows. */
import fc from 'fast-check';

export interface Port {
  readonly protocol?: string;
  readonly port: number;
  readonly endPort?: number;
}

const edgePort = fc.oneof(fc.constantFrom(1, 53, 80, 443, 6443, 65534, 65535), fc.integer({ min: 1, max: 65535 }));
const protocol = fc.constantFrom('TCP', 'UDP', undefined);

export const singlePort: fc.Arbitrary<Port> = fc
  .record({ protocol, port: edgePort })
  .map(({ protocol: name, port }) => ({ ...(name === undefined ? {} : { protocol: name }), port }));

export const portRange: fc.Arbitrary<Port> = fc
  .tuple(singlePort, fc.oneof(fc.constantFrom(0, 1, 65535), fc.integer({ min: 0, max: 2000 })))
  .map(([first, length]) => ({ ...first, endPort: Math.min(65535, first.port + length) }));

/** Rarely the longest label, mostly one of a few, so that names of one policy are near each other. */
const label = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('a', 'b', 'api', 'cdn', 'xn--bcher-kva', '0', 'a--b', 'constructor') },
  { weight: 1, arbitrary: fc.constantFrom('a'.repeat(63), `a${'-'.repeat(61)}0`) },
);
/** Reserved for examples (RFC 2606): no name below is a public suffix. */
const zone = fc.constantFrom('example.com', 'example.org', 'cdn.example.com', 'a.b.example', 'x.test');

function below(max: number): fc.Arbitrary<string> {
  const labels = fc.oneof(
    { weight: 15, arbitrary: fc.array(label, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(label, { minLength: 4, maxLength: 40 }) },
  );
  return fc
    .tuple(labels, zone)
    .map(([before, apex]) =>
      before.reduce((name, each) => (each.length + 1 + name.length > max ? name : `${each}.${name}`), apex),
    );
}

export type Domain = { readonly name: string } | { readonly suffix: string; readonly depth: 'OneLabel' | 'AnyDepth' };

export const domain: fc.Arbitrary<Domain> = fc.oneof(
  below(253).map((name) => ({ name })),
  fc.record({ suffix: below(251), depth: fc.constantFrom('OneLabel', 'AnyDepth') }),
);

const labelKey = fc.constantFrom(
  'app',
  'tier',
  'example.com/role',
  'A_b.c',
  // Members of Object.prototype, and valid label keys.
  'constructor',
  'toString',
  `${'d'.repeat(63)}.${'e'.repeat(20)}/${'k'.repeat(43)}`,
);
const labelValue = fc.constantFrom('', 'tool', 'x', '1.0', 'a_B-c', 'v'.repeat(63));
const podLabels = fc
  .uniqueArray(fc.tuple(labelKey, labelValue), { minLength: 1, maxLength: 4, selector: ([key]) => key })
  .map((entries): Readonly<Record<string, string>> => Object.fromEntries(entries));

export interface Pods {
  readonly namespace: string;
  readonly podLabels: Readonly<Record<string, string>>;
}

/** Beside the resolver: pods of its namespace that differ from it in a label may be opened at any port. */
const besideResolver: Pods = { namespace: 'kube-system', podLabels: { 'k8s-app': 'metrics-server' } };

export const pods: fc.Arbitrary<Pods> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ namespace: fc.constantFrom('mcp', 'tools', 'n'.repeat(63)), podLabels }) },
  { weight: 1, arbitrary: fc.constant(besideResolver) },
);
