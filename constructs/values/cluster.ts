import { list, object, string } from './build.ts';
import { dnsLabel } from './formats.ts';

/** The values of the chart `agentplane-cluster`. */
export const clusterValues = object('What only a platform admin may grant: which installs may look at kube-system.', {
  installs: list(
    'Installs of the chart agentplane on this cluster, whose inventory may read the named DaemonSets and ConfigMaps of ' +
      'kube-system. An install that is not listed here works, but reports its provider as unknown.',
    object('An install.', {
      namespace: string('Namespace of the release.', { pattern: dnsLabel, maxLength: 63 }),
    }),
    { maxItems: 200 },
  ),
});
