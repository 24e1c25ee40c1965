import { stringMap } from './build.ts';
import type { RefsOf } from './refs.ts';

/** Values that every chart has: what is added to the metadata of everything that it renders. */

/**
 * Keys that a chart sets, and those that give an object rights: by a label of RBAC a ClusterRole becomes a part of another one.
 */
const decidedLabels = '^((app|batch)\\.kubernetes\\.io|helm\\.sh|agentplane\\.dev|rbac\\.authorization\\.k8s\\.io)/';

/**
 * Keys that a chart, Helm, kubectl or a controller writes. One of helm.sh would make a hook of every object, which Helm neither upgrades nor
 * uninstalls.
 */
const decidedAnnotations =
  '^(((meta\\.)?helm\\.sh|agentplane\\.dev|(app|batch|deployment)\\.kubernetes\\.io|rbac\\.authorization\\.k8s\\.io)/|' +
  'kubectl\\.kubernetes\\.io/last-applied-configuration$)';

export const commonMetadata = {
  commonLabels: stringMap(
    'Labels added to every object of the chart and to its pods, never to a selector. A narrower value, such as podLabels, wins over them. ' +
      'Keys that the chart sets itself are refused. What the operator writes does not get them.',
    { values: 'label', reserved: decidedLabels },
  ),
  commonAnnotations: stringMap(
    'Annotations added to every object of the chart and to its pods. A narrower value wins over them. Keys that the chart or Helm sets are refused.',
    { values: 'any', reserved: decidedAnnotations },
  ),
} as const;

export type CommonRefs = { readonly [K in keyof typeof commonMetadata]: RefsOf<(typeof commonMetadata)[K]> };
