/** A governed namespace as most tests of this level need it: Cilium staged, inventory and operator running, one profile. */
import { waitUntil } from '../../../scripts/lib/wait-for.ts';
import { CILIUM_NETWORK_POLICIES, NETWORK_POLICIES } from '../../../src/controllers/resources.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { type PolicyObject, PROFILE, policy, profile, waitForReady, waitForReason } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { waitForProfile } from '../../support/profiles.ts';
import { stageCilium, unstageCilium } from '../../support/staged-cilium.ts';
import { installCiliumCrd } from '../../support/without-nodes.ts';
import { INSTALL_NAMESPACE, type Installation, type InstallOptions, install } from './installation.ts';

/** Who the operator is to the audit log. */
export const OPERATOR_USER = `system:serviceaccount:${INSTALL_NAMESPACE}:agentplane-operator`;

/** A command that a test may stop and start again. */
export interface Service {
  readonly running: Running;
  start(): Promise<void>;
  /** Gracefully. @throws Error when the exit code is not 0 */
  stop(): Promise<void>;
}

export interface GovernedSite extends Installation {
  readonly namespace: string;
  readonly operator: Service;
  readonly inventory: Service;
  applyPolicy(name: string, spec: Readonly<Record<string, unknown>>): Promise<void>;
  ready(name: string): Promise<PolicyObject>;
  /** Waits for the profile to say that its policies are in force, which it does a moment after them: for whoever counts writes from here on. */
  profileOpen(): Promise<void>;
  /** Waits for `Ready` to carry the reason. */
  reason(name: string, reason: string): Promise<PolicyObject>;
  /** Waits for the policy to be Ready. The name of its output. */
  outputOf(name: string): Promise<string>;
  /** A CiliumNetworkPolicy of the namespace. */
  cilium(name: string): Promise<KubeObject | undefined>;
  /** A merge patch. `kind` as kubectl takes it. */
  patch(ref: { readonly kind: string; readonly name: string }, body: object, ...args: string[]): Promise<void>;
  /** Every NetworkPolicy and CiliumNetworkPolicy of the namespace. */
  policyObjects(): Promise<readonly KubeObject[]>;
  /** Until the CiliumNetworkPolicy of that name is gone. */
  gone(name: string): Promise<void>;
  /** Stops both commands. */
  stop(): Promise<void>;
}

export interface GovernedSiteOptions extends InstallOptions {
  /** `false` leaves the cluster without any provider. */
  readonly cilium?: boolean;
}

export async function startGovernedSite(
  namespace: string,
  { cilium = true, ...options }: GovernedSiteOptions = {},
): Promise<GovernedSite> {
  const installation = await install([namespace], options);
  const { kubectl } = installation;
  await installCiliumCrd(installation);
  await (cilium ? stageCilium(kubectl) : unstageCilium(kubectl));
  const inventory = await startService(installation.startInventory);
  const operator = await startService(installation.startOperator);
  await kubectl.apply([profile(namespace)]);
  return {
    ...installation,
    ...accessTo(installation, namespace),
    namespace,
    inventory,
    operator,
    stop: async () => {
      await operator.stop();
      await inventory.stop();
    },
  };
}

function accessTo({ kubectl, admin }: Installation, namespace: string) {
  const ready = (name: string) => waitForReady(kubectl, namespace, name);
  const cilium = (name: string) => kubectl.get<KubeObject>('ciliumnetworkpolicy', '-n', namespace, name);
  return {
    ready,
    cilium,
    profileOpen: async () => {
      await waitForProfile(kubectl, { namespace, name: PROFILE }, ({ status }) => status?.admission?.open === true);
    },
    reason: (name: string, reason: string) => waitForReason(kubectl, { namespace, name }, reason),
    outputOf: async (name: string) => (await ready(name)).status?.inForce?.outputs[0]?.name ?? '',
    applyPolicy: async (name: string, spec: Readonly<Record<string, unknown>>) => {
      await kubectl.apply([policy(namespace, name, spec)]);
    },
    patch: async (
      { kind, name }: { readonly kind: string; readonly name: string },
      body: object,
      ...args: string[]
    ) => {
      await kubectl.run('patch', kind, name, '-n', namespace, '--type=merge', '-p', JSON.stringify(body), ...args);
    },
    policyObjects: async () => {
      const resources = [NETWORK_POLICIES, CILIUM_NETWORK_POLICIES];
      const lists = await Promise.all(resources.map((resource) => admin.list(resource, { namespace })));
      return lists.flatMap(({ items }) => items);
    },
    // The garbage collector learns of a new API within half a minute.
    gone: (name: string) =>
      waitUntil(`${name} to be gone`, { timeoutMs: 60_000, intervalMs: 50 }, async () => {
        return (await cilium(name)) === undefined;
      }),
  };
}

async function startService(begin: () => Promise<Running>): Promise<Service> {
  let running = await begin();
  return {
    get running() {
      return running;
    },
    start: async () => {
      running = await begin();
    },
    stop: async () => {
      const code = await running.stop();
      if (code !== 0) throw new Error(`it ended with ${code}: ${running.logs().slice(-2000)}`);
    },
  };
}
