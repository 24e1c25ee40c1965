/** A stand-in for the API server's answers, for the error paths that a real one cannot be brought to. */
import type { DesiredObject, Owner } from '../compile/names.ts';
import { outputMeta } from '../compile/names.ts';
import type { Client } from '../kube/client.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeObject } from '../kube/types.ts';
import { CILIUM_NETWORK_POLICIES } from './resources.ts';

export const owner: Owner = { kind: 'EgressPolicy', namespace: 'team-a', name: 'p', uid: 'uid-policy' };

export const desired: DesiredObject = {
  apiVersion: 'cilium.io/v2',
  kind: 'CiliumNetworkPolicy',
  metadata: outputMeta(owner, 'egress'),
  spec: { egress: [{}] },
};

/** The object as the server would hold it, with our fields ours. */
export function stored(overrides: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: desired.apiVersion,
    kind: desired.kind,
    metadata: {
      ...desired.metadata,
      uid: 'uid-output',
      resourceVersion: '7',
      managedFields: [{ manager: 'agentplane-operator', operation: 'Update', fieldsV1: { 'f:spec': {} } }],
    },
    spec: desired.spec,
    ...overrides,
  };
}

export interface Script {
  readonly client: Client;
  readonly informer: Informer;
  /** Every call, such as `create` or `apply force=true`. */
  readonly calls: string[];
  readonly cached: Map<string, KubeObject>;
}

type Answer = () => KubeObject;

/** A client that answers writes by script, over an informer that holds what it was told. */
export function script(answers: {
  readonly create?: Answer;
  readonly apply?: Answer;
  readonly get?: Answer;
  readonly mergePatch?: Answer;
}): Script {
  const calls: string[] = [];
  const cached = new Map<string, KubeObject>();
  const answer = (call: string, give: Answer | undefined): Promise<KubeObject> => {
    calls.push(call);
    if (give === undefined) throw new Error(`${call} was not expected`);
    return Promise.resolve().then(give);
  };
  const client: Partial<Client> = {
    create: () => answer('create', answers.create),
    apply: (_, __, { force }) => answer(`apply force=${force}`, answers.apply),
    mergePatch: (_, __, patch) => answer(`patch ${JSON.stringify(patch.spec)}`, answers.mergePatch),
    get: () => answer('get', answers.get),
    delete: (_, { name }, { uid }) => {
      calls.push(`delete ${uid}`);
      cached.delete(name);
      return Promise.resolve({ removed: true });
    },
  };
  const informer: Partial<Informer> = {
    resource: CILIUM_NETWORK_POLICIES,
    namespace: 'team-a',
    get: (name) => cached.get(name),
    observe: (object) => cached.set(object.metadata.name, object),
    observeDeleted: ({ name }) => cached.delete(name),
  };
  return { client: client as Client, informer: informer as Informer, calls, cached };
}
