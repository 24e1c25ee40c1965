import { object, stringMap } from './build.ts';
import { commonMetadata, decidedAnnotations } from './common.ts';

/** The values of the chart `agentplane-crds`. */
export const crdsValues = object('The CustomResourceDefinitions of AgentPlane.', {
  annotations: stringMap(
    'Annotations added to every CRD, such as argocd.argoproj.io/sync-options. Keys that the chart or Helm sets are refused.',
    { values: 'any', reserved: decidedAnnotations },
  ),
  ...commonMetadata,
});
