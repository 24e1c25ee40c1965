/**
 * One object by its name, asked of the API server itself. Tests look at an object again and again until it is as they wait for, and starting
 * kubectl for each look cost them a tenth of their processor time.
 */
import { type RawApi, rawApi } from './raw-api.ts';

const AGENTPLANE = '/apis/agentplane.dev/v1alpha1';

/** Of the kinds that tests wait for: where they are served. All of them live in namespaces. */
const SERVED: Readonly<Record<string, string>> = {
  configmap: '/api/v1/*/configmaps',
  pod: '/api/v1/*/pods',
  networkpolicy: '/apis/networking.k8s.io/v1/*/networkpolicies',
  ciliumnetworkpolicy: '/apis/cilium.io/v2/*/ciliumnetworkpolicies',
  egresspolicy: `${AGENTPLANE}/*/egresspolicies`,
  runtimeprofile: `${AGENTPLANE}/*/runtimeprofiles`,
  secretbinding: `${AGENTPLANE}/*/secretbindings`,
  policybundle: `${AGENTPLANE}/*/policybundles`,
  capabilityreport: `${AGENTPLANE}/*/capabilityreports`,
};

/** The answer, whose object is undefined when there is none of that name. */
export interface Found {
  readonly object: unknown;
}

/** Returns undefined for whatever is better asked of kubectl: other arguments, other kinds, and every answer that is not the plain one. */
export type DirectGet = (args: readonly string[]) => Promise<Found | undefined>;

export function directGet(kubeconfigPath: string): DirectGet {
  let api: Promise<RawApi> | undefined;
  return async (args) => {
    const asked = pathOf(args);
    if (asked === undefined) return undefined;
    api ??= rawApi(kubeconfigPath);
    const answer = await (await api)({ method: 'GET', path: asked.path }).catch(() => undefined);
    if (answer?.status === 200) return { object: answer.body };
    const { reason, details } = (answer?.body ?? {}) as { reason?: string; details?: { name?: string } };
    // Without a name it is the kind that is not served, which kubectl tells better.
    return reason === 'NotFound' && details?.name === asked.name ? { object: undefined } : undefined;
  };
}

/** `kind name -n namespace`, in any order that tests write it in. */
function pathOf(args: readonly string[]): { readonly path: string; readonly name: string } | undefined {
  const at = args.indexOf('-n');
  const namespace = args[at + 1];
  const [kind = '', name, ...more] = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const served = SERVED[kind];
  if (at < 0 || namespace === undefined || name === undefined || served === undefined || more.length > 0)
    return undefined;
  if (name.startsWith('-')) return undefined;
  return { path: `${served.replace('*', `namespaces/${namespace}`)}/${name}`, name };
}
