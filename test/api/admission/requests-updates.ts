/** Changes of a pod that runs. */

import { PROFILE } from '../../support/policies.ts';
import { type DangerousRequest, labelled, patchPod } from './dangerous.ts';
import { CONTEXT, IMAGE } from './pod.ts';
import { OTHER_PROFILE } from './site.ts';

const ephemeral = (image: string, context: object) => ({
  spec: { ephemeralContainers: [{ name: 'debug', image, securityContext: context }] },
});

export const UPDATE_REQUESTS: readonly DangerousRequest[] = [
  {
    what: 'the label removed from a running pod',
    by: 'tenant',
    request: patchPod(labelled(null)),
    twin: patchPod({ metadata: { labels: { app: 'agent' } } }),
    refused: /label agentplane.dev\/profile is immutable: it was "research", and would be ""/,
  },
  {
    what: 'the label of a running pod forged',
    by: 'tenant',
    request: patchPod(labelled(OTHER_PROFILE)),
    twin: patchPod(labelled(PROFILE)),
    refused: /is immutable: it was "research", and would be "other"/,
  },
  {
    what: 'the label forged through the status of a pod',
    by: 'tenant',
    request: patchPod(labelled(OTHER_PROFILE), '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /is immutable: it was "research", and would be "other"/,
  },
  {
    what: 'the label removed through the status of a pod',
    by: 'tenant',
    request: patchPod(labelled(null), '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /is immutable: it was "research", and would be ""/,
  },
  {
    what: 'a privileged ephemeral container',
    by: 'tenant',
    request: patchPod(
      ephemeral(IMAGE, { ...CONTEXT, privileged: true, allowPrivilegeEscalation: true }),
      '/ephemeralcontainers',
    ),
    twin: patchPod(ephemeral(IMAGE, CONTEXT), '/ephemeralcontainers'),
    refused: /container debug: privileged is not allowed/,
  },
  {
    what: 'an ephemeral container of any image',
    by: 'tenant',
    request: patchPod(ephemeral('docker.io/library/busybox:latest', CONTEXT), '/ephemeralcontainers'),
    twin: patchPod(ephemeral(IMAGE, CONTEXT), '/ephemeralcontainers'),
    refused: /image docker.io\/library\/busybox:latest of container debug/,
  },
  {
    what: 'another image in a running pod',
    by: 'tenant',
    request: patchPod({ spec: { containers: [{ name: 'agent', image: 'docker.io/library/busybox:latest' }] } }),
    twin: patchPod({
      spec: { containers: [{ name: 'agent', image: IMAGE.replaceAll('a'.repeat(64), 'c'.repeat(64)) }] },
    }),
    refused: /spec.images.allowedPrefixes allows/,
  },
  {
    what: 'a running pod that is said to have ended',
    by: 'tenant',
    request: patchPod({ status: { phase: 'Succeeded' } }, '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /phase, podIP, podIPs, hostIP, hostIPs of a pod are told by its node/,
  },
  {
    what: 'the address of a running pod',
    by: 'tenant',
    request: patchPod({ status: { podIP: '8.8.8.8', podIPs: [{ ip: '8.8.8.8' }] } }, '/status'),
    twin: patchPod({ status: { message: 'fine' } }, '/status'),
    refused: /of a pod are told by its node/,
  },
  {
    what: 'a label of the network provider on a running pod',
    by: 'tenant',
    request: patchPod({ metadata: { labels: { 'io.cilium.k8s.policy.serviceaccount': 'admin' } } }),
    twin: patchPod({ metadata: { labels: { app: 'agent' } } }),
    refused: /no label that begins with io.cilium. may be set/,
  },
  {
    what: 'an annotation that agents read, on a running pod',
    by: 'tenant',
    request: patchPod({ metadata: { annotations: { 'cni.projectcalico.org/podIP': '8.8.8.8/32' } } }),
    twin: patchPod({ metadata: { annotations: { note: 'x' } } }),
    refused: /annotations that begin with cni.projectcalico.org\//,
  },
];
