import type { V1PodSpec, V1PolicyRule } from '@kubernetes/client-node';
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { identityOf, metadataOf } from './objects.ts';

/** What no rendering of any chart may hold, as findings: empty when it is safe. Tests prove that each rule can find. */
export function findings(objects: readonly JsonMap[]): readonly string[] {
  return objects.flatMap((object) => [...scopeFindings(object), ...ruleFindings(object), ...podFindings(object)]);
}

/** The kinds that the charts are made of, by scope. An unknown kind is a finding: someone has to look at it. */
const namespaced = new Set([
  'CiliumNetworkPolicy',
  'ConfigMap',
  'Deployment',
  'NetworkPolicy',
  'Pod',
  'PodDisruptionBudget',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
]);

/** What only a platform admin installs, from the two charts that are for him. */
const ofThePlatform = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

function isOfThePlatform(object: JsonMap): boolean {
  const { labels } = object.metadata as { readonly labels?: Readonly<Record<string, string>> };
  const fromPlatformChart = /^agentplane-(cluster|crds)-/.test(labels?.['helm.sh/chart'] ?? '');
  return fromPlatformChart && ofThePlatform.has(String(object.kind));
}

function scopeFindings(object: JsonMap): string[] {
  if (isOfThePlatform(object)) return [];
  if (!namespaced.has(String(object.kind))) return [`${identityOf(object)}: no kind of the charts, or cluster-scoped`];
  const { name, namespace } = metadataOf(object);
  const nameless =
    namespace === undefined || namespace === '' ? [`${identityOf(object)}: no namespace written out`] : [];
  return name.length > 63 ? [...nameless, `${identityOf(object)}: name longer than 63`] : nameless;
}

const forbiddenResources = [
  'secrets',
  'pods/exec',
  'pods/attach',
  'pods/portforward',
  'pods/ephemeralcontainers',
  'serviceaccounts/token',
];
const forbiddenVerbs = ['escalate', 'bind', 'impersonate', 'deletecollection', 'approve', 'sign', 'use'];
const clusterScoped = [
  'namespaces',
  'nodes',
  'persistentvolumes',
  'customresourcedefinitions',
  'clusterroles',
  'runtimeclasses',
];

function ruleFindings(object: JsonMap): string[] {
  const rules = (object.rules ?? []) as unknown as readonly V1PolicyRule[];
  return rules.flatMap((rule) => {
    const groups = rule.apiGroups ?? [];
    const resources = rule.resources ?? [];
    const all = [...groups, ...resources, ...rule.verbs, ...(rule.resourceNames ?? [])];
    const found: string[] = [];
    if (all.some((word) => word.includes('*'))) found.push('wildcard');
    if (resources.some((resource) => forbiddenResources.includes(resource)) && !isNamed(rule, '', 'secrets'))
      found.push('forbidden resource');
    const mayLook = object.kind === 'ClusterRole' && isNamed(rule, 'node.k8s.io', 'runtimeclasses');
    if (resources.some((resource) => clusterScoped.includes(resource)) && !mayLook)
      found.push('cluster-scoped resource');
    if (groups.includes('rbac.authorization.k8s.io')) found.push('RBAC objects');
    // "use" is dangerous on what others define with it; on our own profiles it is for people.
    const ofOurs = groups.every((group) => group === 'agentplane.dev');
    const verbs = ofOurs ? rule.verbs.filter((verb) => verb !== 'use') : rule.verbs;
    if (verbs.some((verb) => forbiddenVerbs.includes(verb))) found.push('forbidden verb');
    if (rule.resourceNames?.length === 0) found.push('empty resourceNames means every name');
    return found.map((finding) => `${identityOf(object)}: ${finding} in ${JSON.stringify(rule)}`);
  });
}

/** What may be got by a name that somebody listed, and in no other way. */
function isNamed(
  { apiGroups, resources, resourceNames = [], verbs }: V1PolicyRule,
  group: string,
  resource: string,
): boolean {
  const only = (list: readonly string[] | undefined, item: string) => list?.length === 1 && list[0] === item;
  return only(apiGroups, group) && only(resources, resource) && only(verbs, 'get') && resourceNames.length > 0;
}

/** The Pod Security Standard "restricted" (kubernetes.io/docs/concepts/security/pod-security-standards), and our own rules. */
function podFindings(object: JsonMap): string[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const checks: Readonly<Record<string, boolean>> = {
    'runAsNonRoot is not true': pod.securityContext?.runAsNonRoot === true,
    'runs as root': (pod.securityContext?.runAsUser ?? 0) > 0,
    'no seccomp profile': pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'host namespaces': !pod.hostNetwork && !pod.hostPID && !pod.hostIPC,
    volumes: (pod.volumes ?? []).length === 0,
    'service links': pod.enableServiceLinks === false,
    'init or ephemeral containers': (pod.initContainers ?? []).length === 0,
  };
  const containers = pod.containers.flatMap((container) => containerFindings(container.securityContext));
  const failed = Object.keys(checks).filter((check) => !checks[check]);
  return [...failed, ...containers].map((finding) => `${identityOf(object)}: ${finding}`);
}

function podSpecOf({ kind, spec }: JsonMap): V1PodSpec | undefined {
  if (kind === 'Pod') return spec as unknown as V1PodSpec;
  if (kind !== 'Deployment') return undefined;
  return (spec as unknown as { template: { spec: V1PodSpec } }).template.spec;
}

function containerFindings(context: V1PodSpec['containers'][number]['securityContext']): string[] {
  const checks: Readonly<Record<string, boolean>> = {
    'privilege escalation': context?.allowPrivilegeEscalation === false,
    'capabilities are not dropped': context?.capabilities?.drop?.includes('ALL') === true,
    'capabilities are added': (context?.capabilities?.add ?? []).length === 0,
    'writable root filesystem': context?.readOnlyRootFilesystem === true,
    privileged: context?.privileged !== true,
  };
  return Object.keys(checks).filter((check) => !checks[check]);
}
