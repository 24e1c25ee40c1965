/**
 * What the customer's own roles say of AgentPlane's kinds, where the platform admin asks for it: `view` reads, `edit` uses the profiles
 * that there are, `admin` writes them. Whoever may edit workloads does not decide what they may reach. As rules.ts, the single input to
 * chart, report and tests.
 */
import { EgressPolicy } from '../src/api/egress-policy.ts';
import { KINDS } from '../src/api/kinds.ts';
import { RuntimeProfile } from '../src/api/runtime-profile.ts';

export interface CustomerRule {
  /** Of the group agentplane.dev. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** What its holder does with it. */
  readonly why: string;
}

const read: CustomerRule = {
  resources: KINDS.map(({ plural }) => plural),
  verbs: ['get', 'list', 'watch'],
  why: 'Sees what is asked for, and what is in force.',
};
const use: CustomerRule = {
  resources: [RuntimeProfile.plural],
  verbs: ['use'],
  why: 'Runs pods, workloads and sandboxes of the profiles that there are.',
};
const pause: CustomerRule = {
  resources: [EgressPolicy.plural],
  verbs: ['pause'],
  why: 'Lets others change what enforces a policy, for a time.',
};
const write: CustomerRule = {
  // What people write. A CapabilityReport is written by the inventory.
  resources: KINDS.filter(({ spec }) => spec !== undefined).map(({ plural }) => plural),
  // No `update`: tools apply and patch. No `deletecollection`: nobody deletes every policy by mistake.
  verbs: ['create', 'patch', 'delete'],
  why: 'Decides what agents may reach, with which Secrets, and by which tools.',
};

/** By the built-in ClusterRole that a role of ours is added to. */
export const customerRoles: Readonly<Record<'view' | 'edit' | 'admin', readonly CustomerRule[]>> = {
  view: [read],
  edit: [read, use],
  admin: [read, use, pause, write],
};

/** Name of the ClusterRole of ours that is added to `role`. */
export function customerRoleName(role: string): string {
  return `agentplane-${role}`;
}
