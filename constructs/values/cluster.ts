import { bool, choice, list, object, string } from './build.ts';
import { commonMetadata } from './common.ts';
import { dnsLabel, dnsSubdomain, namespacedName, userName } from './formats.ts';
import type { ValueOf } from './model.ts';
import type { RefsOf } from './refs.ts';

const installs = list(
  'Installs of the chart agentplane on this cluster: their inventory may read the named DaemonSets and ConfigMaps of kube-system, ' +
    'and admission policies hold in the namespaces that they govern. An install that is not listed works, but reports its ' +
    'provider as unknown, and governs networks only.',
  object('An install.', {
    namespace: string('Namespace of the release.', { pattern: dnsLabel, maxLength: 63 }),
    governedNamespaces: list(
      'Namespaces in which its admission policies hold. List those that the release governs, and set admission.enabled there.',
      string('A namespace.', { pattern: dnsLabel, maxLength: 63 }),
      { maxItems: 200 },
    ),
  }),
  { maxItems: 200 },
);

/** The values of the chart `agentplane-cluster`. */
export const clusterValues = object(
  'What only a platform admin may grant: which installs there are, and what holds in the namespaces that they govern.',
  {
    installs,
    enforcement: choice(
      'Deny: what breaks a rule is refused. WarnAndAudit: it passes, with a warning and an audit annotation, for a roll-out; what protects ' +
        'AgentPlane itself (fences, statuses, managed objects, the floor) denies all the same.',
      ['Deny', 'WarnAndAudit'],
      'Deny',
    ),
    tokenAccounts: list(
      'Accounts of governed namespaces, as namespace/account, whose pods may mount a token. Their RuntimeProfile has to allow it as well.',
      string('namespace/account.', { pattern: namespacedName, maxLength: 317 }),
      { maxItems: 200 },
    ),
    podControllers: list(
      'Users that make pods for others, or what becomes pods, and so need no verb "use" on a RuntimeProfile: the account of a sandbox ' +
        'controller; for Deployments, Jobs and their like, those of Kubernetes itself (docs/admission.md). Whoever writes what they make ' +
        'pods from needs it instead.',
      string('A user name.', { pattern: userName, maxLength: 253 }),
      { maxItems: 64 },
    ),
    networkPolicyAuthors: list(
      'Users that may write network policies which open governed pods. What they open is still told by the condition Exclusive.',
      string('A user name.', { pattern: userName, maxLength: 253 }),
      { maxItems: 64 },
    ),
    imagePullSecrets: list(
      'Secrets that governed pods may pull their images with, in every governed namespace.',
      string('Name of a Secret.', { pattern: dnsSubdomain, maxLength: 253 }),
      { maxItems: 64 },
    ),
    runtimeClasses: list(
      'RuntimeClasses that RuntimeProfiles may require: the inventory of each install may get these, by name, and no other object of the ' +
        'cluster. List them in inventory.runtimeClasses of the release as well.',
      string('Name of a RuntimeClass.', { pattern: dnsSubdomain, maxLength: 253 }),
      { maxItems: 64 },
    ),
    aggregatedRoles: object('What the built-in roles view, edit and admin say of the kinds of AgentPlane.', {
      enabled: bool(
        'Adds to view: reading them. To edit: the verb "use" on RuntimeProfiles as well. To admin: writing them, and the verb "pause".',
        false,
      ),
    }),
    ...commonMetadata,
  },
);

export type ClusterValues = ValueOf<typeof clusterValues>;
export type ClusterRefs = RefsOf<typeof clusterValues>;
