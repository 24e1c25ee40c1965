import { type Attempt, KubeError, type Verb } from './errors.ts';
import { apiVersionOf, type KubeObject, type ObjectRef, type Resource, resourceName } from './types.ts';

export interface PathTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The URL path of a collection or an object, percent-encoded and in the caller's case: RBAC names may hold upper-case letters and colons.
 * Refuses what could leave its segment (`..`, a slash), which the API server refuses as a name too
 * (kubernetes/kubernetes staging/src/k8s.io/apimachinery/pkg/api/validation/path/name.go).
 */
export function resourcePath(attempt: Attempt, resource: Resource, target: PathTarget): string {
  const root = resource.group === '' ? ['api', resource.version] : ['apis', resource.group, resource.version];
  const segments = [
    ...root,
    ...(target.namespace === undefined ? [] : ['namespaces', target.namespace]),
    resource.plural,
    ...(target.name === undefined ? [] : [target.name]),
    ...(target.subresource === undefined ? [] : [target.subresource]),
  ];
  return segments.map((segment) => `/${encodeSegment(attempt, segment)}`).join('');
}

export function queryString(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined) {
      query.set(key, value);
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** What goes into errors and metrics about a call on `resource`. */
export function attemptOf(verb: Verb, resource: Resource, target: PathTarget): Attempt {
  return {
    verb,
    resource: resourceName(resource),
    ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(target.name === undefined ? {} : { name: target.name }),
  };
}

export function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** An object sent to another kind's path would be refused by the server with a less helpful message, or not at all by a lenient one. */
export function assertKind(attempt: Attempt, resource: Resource, object: KubeObject): void {
  if (object.apiVersion !== apiVersionOf(resource) || object.kind !== resource.kind) {
    const expected = `${apiVersionOf(resource)} ${resource.kind}`;
    throw new KubeError(
      'Invalid',
      attempt,
      `the object is a ${object.apiVersion} ${object.kind}, expected ${expected}`,
    );
  }
}

function encodeSegment(attempt: Attempt, segment: string): string {
  if (segment === '' || segment === '.' || segment === '..' || /[/%]/.test(segment)) {
    throw new KubeError(
      'Invalid',
      attempt,
      `"${segment}" can not be part of a path; names hold no "/" or "%" and are not empty`,
    );
  }
  return encodeURIComponent(segment.toWellFormed());
}
