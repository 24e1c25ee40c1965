/** What the cluster says of a pod, and what its agents read from it: not for whoever may merely write to it. */
import { IS_OF_THE_CLUSTER } from './integrity.ts';
import { type AdmissionRule, celList, celString } from './rule.ts';

/** Agents take addresses, interfaces and the runtime's settings from these. */
const AGENT_ANNOTATIONS = [
  'cni.projectcalico.org/',
  'k8s.v1.cni.cncf.io/',
  'v1.multus-cni.io/',
  'k8s.ovn.org/',
  'io.katacontainers.',
];

const annotations = (object: string): string => `dyn(${object}).?metadata.?annotations.orValue({})`;
const isOfAgents = `${celList(AGENT_ANNOTATIONS)}.exists(p, k.startsWith(p))`;

export const agentAnnotations: AdmissionRule = {
  name: 'agent-annotations',
  holds:
    `(${annotations('object')}.all(k, !(${isOfAgents}) || (oldObject != null && ${annotations('oldObject')}[?k].orValue('') == ${annotations('object')}[k]))) || ` +
    IS_OF_THE_CLUSTER,
  message: celString(`annotations that begin with ${AGENT_ANNOTATIONS.join(', ')} are for agents of the cluster`),
};

const FACTS = ['phase', 'podIP', 'podIPs', 'hostIP', 'hostIPs'];

/** A pod that is said to have ended is governed no more, and network policies go by its addresses. */
export const podFacts: AdmissionRule = {
  name: 'pod-facts',
  holds: `${celList(FACTS)}.all(f, dyn(object).?status[?f] == dyn(oldObject).?status[?f]) || ${IS_OF_THE_CLUSTER}`,
  message: `'${FACTS.join(', ')} of a pod are told by its node, and ' + request.userInfo.username + ' is no part of the cluster'`,
};
