/**
 * Looks at the cluster with the least authority that can tell: `get` on named DaemonSets and ConfigMaps of the system namespace, and the
 * discovery and OpenAPI documents that every authenticated identity may read.
 */
import { OBSERVED_CONFIG_MAPS, OBSERVED_DAEMON_SETS, PROVIDERS } from '../compile/providers.ts';
import type { Seen, SeenDaemonSet } from '../compile/seen.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError } from '../kube/errors.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import type { ApiSchemas } from './api-schemas.ts';

const DAEMON_SETS: Resource = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet' };
const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };

export interface ObserveRequest extends Pick<Seen, 'pin' | 'apiServerAddresses' | 'resolverLabels'> {
  readonly client: Pick<Client, 'get'>;
  readonly schemas: ApiSchemas;
  readonly systemNamespace: string;
  readonly signal: AbortSignal;
}

export async function observe(request: ObserveRequest): Promise<Seen> {
  const { client, schemas, systemNamespace: namespace, signal, pin, apiServerAddresses, resolverLabels } = request;
  const find = (resource: Resource, names: readonly string[]) =>
    Promise.all(names.map((name) => look(name, () => client.get(resource, { namespace, name }, { signal }))));
  const [daemonSets, configMaps, apis] = await Promise.all([
    find(DAEMON_SETS, OBSERVED_DAEMON_SETS),
    find(CONFIG_MAPS, OBSERVED_CONFIG_MAPS),
    schemas.served(
      PROVIDERS.map((row) => row.api),
      signal,
    ),
  ]);
  return {
    daemonSets: daemonSets.flatMap(({ object }) => (object === undefined ? [] : [seenDaemonSet(object)])),
    unreadable: daemonSets.filter(({ forbidden }) => forbidden).map(({ name }) => name),
    configMaps: Object.fromEntries(
      configMaps.flatMap(({ name, object }) => (object === undefined ? [] : [[name, dataOf(object)]])),
    ),
    apis: PROVIDERS.filter((row) => apis.includes(row.api)).map(({ name }) => name),
    pin,
    apiServerAddresses,
    resolverLabels,
  };
}

interface Look {
  readonly name: string;
  readonly object?: KubeObject;
  readonly forbidden: boolean;
}

/** What is not there and what may not be read are told apart; any other failure is one. */
async function look(name: string, get: () => Promise<KubeObject>): Promise<Look> {
  try {
    return { name, object: await get(), forbidden: false };
  } catch (error) {
    const forbidden = isKubeError(error, 'Forbidden');
    if (!forbidden && !isKubeError(error, 'NotFound')) throw error;
    return { name, forbidden };
  }
}

interface DaemonSetBody {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly name: string;
          readonly image?: string;
          readonly command?: readonly string[];
          readonly args?: readonly string[];
        }[];
      };
    };
  };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly updatedNumberScheduled?: number;
    readonly observedGeneration?: number;
  };
}

function seenDaemonSet(object: KubeObject): SeenDaemonSet {
  const { spec, status } = object as KubeObject & DaemonSetBody;
  const containers = spec?.template?.spec?.containers ?? [];
  return {
    name: object.metadata.name,
    desired: status?.desiredNumberScheduled ?? 0,
    ready: status?.numberReady ?? 0,
    updated: status?.updatedNumberScheduled ?? 0,
    upToDate: status?.observedGeneration === object.metadata.generation,
    flags: flagsOf(containers.flatMap(({ command = [], args = [] }) => [...command, ...args])),
    imageTags: Object.fromEntries(containers.map(({ name, image }) => [name, imageTag(image ?? '')])),
  };
}

/** `--flag=value`, `--flag value`, and a bare `--flag`, which is true. */
export function flagsOf(args: readonly string[]): Readonly<Record<string, string>> {
  const flags = args.flatMap((arg, i): [string, string][] => {
    if (!arg.startsWith('--')) return [];
    const [name = '', ...value] = arg.split('=');
    const next = args[i + 1];
    if (value.length > 0) return [[name, value.join('=')]];
    return [[name, next === undefined || next.startsWith('-') ? 'true' : next]];
  });
  return Object.fromEntries(flags);
}

/** The tag of `registry:5000/path/name:tag@digest`, or an empty string. */
export function imageTag(image: string): string {
  const [withoutDigest = ''] = image.split('@');
  const lastPart = withoutDigest.slice(withoutDigest.lastIndexOf('/') + 1);
  const colon = lastPart.indexOf(':');
  return colon < 0 ? '' : lastPart.slice(colon + 1);
}

function dataOf(object: KubeObject): Readonly<Record<string, string>> {
  return (object.data as Readonly<Record<string, string>> | undefined) ?? {};
}
