/** Compares what was asked for with what rbac/ declares. Pure. */
import { runtimeClassesRead } from '../../rbac/cluster-rules.ts';
import { type Grant, grants, type Identity } from '../../rbac/rules.ts';
import type { ResourceTarget, Use } from '../support/uses.ts';

/** One verb of one rule. */
export interface Declared {
  readonly identity: Identity;
  readonly role: string;
  /** `cluster`: by a ClusterRole, about what belongs to no namespace. */
  readonly place: Grant['namespace'] | 'cluster';
  readonly apiGroup: string;
  readonly resource: string;
  readonly verb: string;
  /** Names that the rule lists itself. */
  readonly names?: readonly string[];
  /** Whether a value of the chart lists them. */
  readonly named: boolean;
}

/** One for each verb of each rule. */
export function declaredBy(all: readonly Grant[]): readonly Declared[] {
  return all.flatMap(({ identity, role, namespace: place, rules }) =>
    rules.flatMap(({ apiGroup, resource, verbs, resourceNames, resourceNamesFrom }) =>
      verbs.map((verb) => ({
        ...{ identity, role, place, apiGroup, resource, verb },
        ...(resourceNames === undefined ? {} : { names: resourceNames }),
        named: resourceNames !== undefined || resourceNamesFrom !== undefined,
      })),
    ),
  );
}

/** Everything that is declared for every identity. */
export const declared: readonly Declared[] = [
  ...declaredBy(grants),
  ...runtimeClassesRead.rule.verbs.map(
    (verb): Declared => ({
      ...{ identity: runtimeClassesRead.identity, role: runtimeClassesRead.role, place: 'cluster', named: true, verb },
      ...{ apiGroup: runtimeClassesRead.rule.apiGroup, resource: runtimeClassesRead.rule.resource },
    }),
  ),
];

/** What was allowed although nothing declares it, in words. `rights`: what is declared. */
export function allowedBeyond(uses: readonly Use[], rights: readonly Declared[]): readonly string[] {
  const beyond = uses.filter((use) => use.allowed && !isEverybodys(use) && !rights.some((right) => gave(right, use)));
  return textsOf(beyond);
}

/** What a program of ours asked for, and was refused, although nothing declares it: code that needs what it may not have. */
export function askedBeyond(uses: readonly Use[], rights: readonly Declared[]): readonly string[] {
  const refused = uses.filter(({ byProgram, allowed }) => byProgram && !allowed);
  return textsOf(refused.filter((use) => !isDiscovery(use) && !rights.some((right) => isAbout(right, use))));
}

/** What is declared, and was never used by our own programs. */
export function neverUsed(uses: readonly Use[], rights: readonly Declared[]): readonly string[] {
  const own = uses.filter(({ byProgram, allowed }) => byProgram && allowed);
  return rights
    .filter((right) => !own.some((use) => gave(right, use)))
    .map(({ identity, place, verb, apiGroup, resource }) => `${identity}: ${verb} ${apiGroup}/${resource} in ${place}`);
}

/** Whether the request was allowed by the very role that declares the right, bound to the account itself. */
function gave(right: Declared, use: Use): boolean {
  return isAbout(right, use) && use.reason === reasonOf(right, use);
}

/** The reason as the API server gives it (kubernetes/kubernetes: plugin/pkg/auth/authorizer/rbac). A RoleBinding of ours is named as its Role. */
function reasonOf({ role, place }: Declared, { identity, home, target }: Use): string {
  const account = `to ServiceAccount "${identity}/${home}"`;
  if (place === 'cluster') return `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" ${account}`;
  const { namespace } = target as ResourceTarget;
  return `RBAC: allowed by RoleBinding "${role}/${namespace}" of Role "${role}" ${account}`;
}

function isAbout(right: Declared, { identity, home, verb, target }: Use): boolean {
  if ('url' in target) return false;
  return (
    identity === right.identity &&
    verb === right.verb &&
    target.apiGroup === right.apiGroup &&
    target.resource === right.resource &&
    isNamed(right, target) &&
    isThere(right, target.namespace, home)
  );
}

function isNamed({ named, names }: Declared, { name }: ResourceTarget): boolean {
  return !named || (name !== '' && (names === undefined || names.includes(name)));
}

function isThere({ place }: Declared, namespace: string, home: string): boolean {
  switch (place) {
    case 'cluster':
      return namespace === '';
    case 'install':
      return namespace === home;
    case 'kube-system':
      return namespace === 'kube-system';
    case 'probe':
      return !['', 'kube-system', home].includes(namespace);
    case 'governed':
      // The install namespace may be governed as well.
      return !['', 'kube-system'].includes(namespace);
  }
}

/** What a cluster lets every account do (kubernetes/kubernetes: plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
const EVERYBODYS =
  /^RBAC: allowed by ClusterRoleBinding "(system:[\w-]+)" of ClusterRole "\1" to Group "system:authenticated"$/;
const DISCOVERY = /^\/(version|openapi\/v3(\/.*)?)$/;

/** Of that, a program of ours asks for what the API serves, and in which version. A test with its credentials may ask what it may do. */
function isEverybodys(use: Use): boolean {
  const role = EVERYBODYS.exec(use.reason)?.[1];
  if (role === 'system:discovery' || role === 'system:public-info-viewer') return !use.byProgram || isDiscovery(use);
  return role === 'system:basic-user' && !use.byProgram;
}

function isDiscovery({ verb, target }: Use): boolean {
  return verb === 'get' && 'url' in target && DISCOVERY.test(target.url);
}

function textsOf(uses: readonly Use[]): readonly string[] {
  const texts = uses.map(({ identity, home, verb, target, reason }) => {
    const what = 'url' in target ? target.url : `${target.apiGroup}/${target.resource} ${target.name}`.trim();
    const where = 'url' in target ? '' : ` in ${target.namespace || 'the cluster'}`;
    return `${identity} of ${home}: ${verb} ${what}${where} (${reason || 'nothing allows it'})`;
  });
  return [...new Set(texts)].sort();
}
