/**
 * What `kubectl get -o json` answers, asked of the API server itself. Tests look at objects again and again until they are as they wait for,
 * and starting kubectl for each look cost them a tenth of their processor time.
 */
import type { KubeObject } from '../../src/kube/types.ts';
import type { RawApi } from './raw-api.ts';
import type { ServedKind, ServedKinds } from './served-kinds.ts';

const AGENTPLANE = 'agentplane.dev/v1alpha1';
const RBAC = 'rbac.authorization.k8s.io/v1';

/** Of the kinds that tests ask for by their short names. */
const API_VERSIONS: Readonly<Record<string, string>> = {
  ConfigMap: 'v1',
  Namespace: 'v1',
  Pod: 'v1',
  ServiceAccount: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  Role: RBAC,
  RoleBinding: RBAC,
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  CiliumNetworkPolicy: 'cilium.io/v2',
  EgressPolicy: AGENTPLANE,
  RuntimeProfile: AGENTPLANE,
  SecretBinding: AGENTPLANE,
  PolicyBundle: AGENTPLANE,
  CapabilityReport: AGENTPLANE,
};

const KIND_OF: ReadonlyMap<string, string> = new Map(
  Object.keys(API_VERSIONS).flatMap((kind): [string, string][] => {
    const singular = kind.toLowerCase();
    return [
      [kind, kind],
      [singular, kind],
      [singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`, kind],
    ];
  }),
).set('crd', 'CustomResourceDefinition');

/** The answer, whose object is undefined when there is none of that name. */
export interface Found {
  readonly object: unknown;
}

/** Returns undefined for whatever is better asked of kubectl: other arguments, other kinds, and every answer that is not the plain one. */
export type DirectGet = (args: readonly string[]) => Promise<Found | undefined>;

export function directGet(api: () => Promise<RawApi>, kinds: ServedKinds): DirectGet {
  const get = async (path: string) => (await api())({ method: 'GET', path });

  const one = async (served: ServedKind, { name = '', namespace }: Question): Promise<Found | undefined> => {
    const answer = await get(`${served.path(namespace)}/${name}`);
    if (answer.status === 200) return { object: answer.body };
    const { reason, details } = answer.body as { reason?: string; details?: { name?: string } };
    // Without a name it is the kind that is not served, which kubectl tells better.
    return reason === 'NotFound' && details?.name === name ? { object: undefined } : undefined;
  };

  const list = async ({ apiVersion, kind, path }: ServedKind, { namespace, selector }: Question) => {
    const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    const { status, body } = await get(`${path(namespace)}${query}`);
    if (status !== 200) return undefined;
    return (body.items as readonly KubeObject[]).map((item) => ({ ...item, apiVersion, kind }));
  };

  const ask = async (question: Question): Promise<Found | undefined> => {
    const found = await Promise.all(question.kinds.map(([apiVersion, kind]) => kinds(apiVersion, kind)));
    const served = found.filter((each) => each !== undefined);
    const isMeant = ({ namespaced }: ServedKind) =>
      question.everywhere || namespaced === (question.namespace !== undefined);
    const [first, ...more] = served;
    if (first === undefined || served.length < found.length || !served.every(isMeant)) return undefined;
    if (question.name !== undefined) return more.length === 0 ? one(first, question) : undefined;
    const lists = await Promise.all(served.map((each) => list(each, question)));
    if (lists.includes(undefined)) return undefined;
    return { object: { apiVersion: 'v1', kind: 'List', metadata: {}, items: lists.flat() } };
  };

  return async (args) => {
    const question = questionOf(args);
    return question === undefined ? undefined : ask(question).catch(() => undefined);
  };
}

interface Question {
  readonly kinds: readonly (readonly [apiVersion: string, kind: string])[];
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly everywhere: boolean;
  readonly selector: string | undefined;
}

/** `kind[,kind] [name] [-n namespace | -A] [-l selector]`, in any order that tests write it in. */
function questionOf(args: readonly string[]): Question | undefined {
  const words: string[] = [];
  const options = new Map<string, string>();
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] ?? '';
    if (word === '-n' || word === '-l') {
      i += 1;
      options.set(word, args[i] ?? '');
    } else if (word === '-A') options.set(word, '');
    else words.push(word);
  }
  const [kinds = '', name, ...more] = words;
  const named = kinds.split(',').map(kindOf);
  const known = named.filter((kind) => kind !== undefined);
  if (more.length > 0 || known.length < named.length || words.some((word) => word.startsWith('-'))) return undefined;
  const everywhere = options.has('-A');
  return { kinds: known, name, namespace: options.get('-n'), everywhere, selector: options.get('-l') };
}

/** `role`, `roles`, `Role`, or with all of it: `Role.v1.rbac.authorization.k8s.io`. */
function kindOf(word: string): readonly [string, string] | undefined {
  const [, full, version, group] = /^([A-Z][A-Za-z]+)\.(v[0-9a-z]+)\.(.+)$/.exec(word) ?? [];
  if (full !== undefined) return [`${group}/${version}`, full];
  const kind = KIND_OF.get(word);
  return kind === undefined ? undefined : [API_VERSIONS[kind] ?? '', kind];
}
