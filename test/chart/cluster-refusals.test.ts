/** What agentplane-cluster refuses, with the nearest values that are right: where its policies would shut what has to go on. */
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { chartFolder, helmTemplate, RELEASE } from './support/helm.ts';
import { helms } from './support/tools.ts';

const installs = (...each: readonly (readonly [string, ...(readonly string[])])[]) => ({
  installs: each.map(([namespace, ...governedNamespaces]) => ({ namespace, governedNamespaces })),
});

describe.each([0, 1])('installs of agentplane-cluster, with helm number %i', (index) => {
  const print = (values: object) =>
    helmTemplate(helms()[index]?.[1] ?? '', chartFolder('agentplane-cluster'), values as JsonMap, RELEASE);

  it.each([
    [
      'a namespace of the cluster',
      installs(['a', 'b', 'kube-system']),
      '"kube-system" in governedNamespaces belongs to the cluster',
    ],
    [
      'the namespace of the install',
      installs(['a', 'b', 'a']),
      '"a" in governedNamespaces is the namespace of an install',
    ],
    [
      'the namespace of another install',
      installs(['a', 'b'], ['c', 'a']),
      '"a" in governedNamespaces is the namespace of an install',
    ],
    ...['podControllers', 'networkPolicyAuthors'].map((key): [string, object, string] => [
      `an account of a governed namespace in ${key}`,
      { ...installs(['a', 'b'], ['c', 'd']), [key]: ['admin', 'system:serviceaccount:d:maker'] },
      `${key}: an account of the governed namespace "d" is listed`,
    ]),
    ['an install that is listed twice', installs(['a', 'b'], ['a', 'c']), 'listed twice'],
  ])('refuse %s', async (_, values, message) => {
    const { text, error } = await print(values);
    expect(text).toBeUndefined();
    expect(error).toContain(message);
  });

  it.each([
    ['a namespace that is only called like one of the cluster', installs(['a', 'kube-system-tools'])],
    ['installs of their own namespaces', installs(['a', 'b'], ['c', 'd'])],
    ['an install whose namespaces are not listed', { installs: [{ namespace: 'a' }] }],
    ...['podControllers', 'networkPolicyAuthors'].map((key): [string, object] => [
      `accounts of other namespaces in ${key}`,
      { ...installs(['a', 'd']), [key]: ['system:serviceaccount:dd:maker', 'system:serviceaccount:c:d', 'd'] },
    ]),
  ])('accept %s', async (_, values) => {
    const { text, error } = await print(values);
    expect(text, error).toBeDefined();
  });
});
