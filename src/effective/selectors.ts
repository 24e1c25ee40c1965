/** Label selectors, as in k8s.io/apimachinery/pkg/apis/meta/v1: a conjunction of requirements. */
import { allRead, isString, type Json, objectOf, objectsOf, stringsOf } from './json.ts';
import type { Labels, Requirement } from './types.ts';

/** Requirements of a `labelSelector`; none for an empty one, which selects everything. Undefined when it cannot be read. */
export function readSelector(value: unknown): readonly Requirement[] | undefined {
  const selector = objectOf(value);
  const matchLabels = selector && objectOf(selector.matchLabels);
  const expressions = selector && allRead(objectsOf(selector.matchExpressions), readExpression);
  if (matchLabels === undefined || expressions === undefined) return undefined;
  const labels = Object.entries(matchLabels);
  const equal = allRead(labels, ([key, label]) =>
    isString(label) ? readExpression({ key, operator: 'In', values: [label] }) : undefined,
  );
  return equal && [...equal, ...expressions];
}

export function isIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: 'In', values };
}

function readExpression({ key, operator, values }: Json): Requirement | undefined {
  const strings = stringsOf(values);
  if (!isString(key) || !isLabelKey(key) || strings === undefined || !strings.every(isLabelValue)) return undefined;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return strings.length > 0 ? { key, operator, values: strings } : undefined;
    case 'Exists':
    case 'DoesNotExist':
      return strings.length === 0 ? { key, operator, values: [] } : undefined;
    default:
      return undefined;
  }
}

const NAME = /^[a-z0-9]([-a-z0-9_.]{0,61}[a-z0-9])?$/i;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN = 253;

/** With the source of the label before it, as Cilium writes it: cilium/cilium:pkg/labels/validation.go, IsValidCiliumLabelKey. */
function isLabelKey(text: string): boolean {
  const parts = text.replace(/^[a-z0-9]{1,63}:/i, '').split('/');
  const [name = '', prefix] = parts.toReversed();
  if (parts.length > 2 || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= MAX_SUBDOMAIN && SUBDOMAIN.test(prefix));
}

function isLabelValue(text: string): boolean {
  return text === '' || NAME.test(text);
}

export function satisfies(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((requirement) => satisfiesOne(requirement, labels));
}

function satisfiesOne({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** The label that holds a namespace's own name: kubernetes.io/docs/reference/labels-annotations-taints. */
export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** As `satisfies` for the labels of a namespace, of which nothing but the name may be known; undefined when that does not decide it. */
export function namespaceSatisfies(
  requirements: readonly Requirement[],
  name: string,
  labels: Labels | undefined,
): boolean | undefined {
  const named = requirements.filter(({ key }) => key === NAMESPACE_NAME);
  if (!satisfies(named, { [NAMESPACE_NAME]: name })) return false;
  const others = requirements.filter(({ key }) => key !== NAMESPACE_NAME);
  if (others.length === 0) return true;
  return labels && satisfies(others, labels);
}
