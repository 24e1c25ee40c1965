import { object, stringMap } from './build.ts';
import { commonMetadata } from './common.ts';

/** The values of the chart `agentplane-crds`. */
export const crdsValues = object('The CustomResourceDefinitions of AgentPlane.', {
  annotations: stringMap(
    'Annotations added to every CRD, such as argocd.argoproj.io/sync-options. helm.sh/resource-policy is set by the chart.',
    { values: 'any', reserved: '^helm\\.sh/' },
  ),
  ...commonMetadata,
});
