import { stringMap } from './build.ts';
import { ownPrefixes } from './formats.ts';
import type { RefsOf } from './refs.ts';

/** Values that every chart has: what is added to the metadata of everything that it renders. */

/**
 * Keys that a chart sets, those that give an object rights (by a label of RBAC a ClusterRole becomes a part of another one), and those by which
 * another tool takes objects for its own, and removes them.
 */
const decidedLabels =
  `^((${ownPrefixes}|(applyset|addonmanager)\\.kubernetes\\.io|rbac\\.authorization\\.k8s\\.io)/|` +
  'argocd\\.argoproj\\.io/instance$)';

/**
 * Keys that a chart, Helm, kubectl or a controller writes. One of helm.sh would make a hook of every object, which Helm neither upgrades nor
 * uninstalls; a hook of Argo CD is deleted and made again at each sync, a CRD with every object of its kind.
 */
export const decidedAnnotations =
  `^((${ownPrefixes}|meta\\.helm\\.sh|(deployment|applyset|addonmanager|rbac\\.authorization)\\.kubernetes\\.io)/|` +
  'kubectl\\.kubernetes\\.io/last-applied-configuration$|argocd\\.argoproj\\.io/hook)';

export const commonMetadata = {
  commonLabels: stringMap(
    'Labels added to every object of the chart, and to its pods where it has any, never to a selector. A narrower value wins over them. ' +
      'Keys that the chart sets itself are refused. What the operator writes does not get them.',
    { values: 'label', reserved: decidedLabels },
  ),
  commonAnnotations: stringMap(
    'Annotations added to every object of the chart, and to its pods where it has any. A narrower value wins over them. Keys that the chart or Helm sets are refused.',
    { values: 'any', reserved: decidedAnnotations },
  ),
} as const;

export type CommonRefs = { readonly [K in keyof typeof commonMetadata]: RefsOf<(typeof commonMetadata)[K]> };
