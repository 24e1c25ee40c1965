/** Rights on custom resources: of AgentPlane, and of controllers that do more than whoever writes for them. */
import { DRIVEN, FETCHED } from './catalogue-kinds.ts';
import { type DangerousRight, REMOVALS, WRITES } from './dangerous-right.ts';

const AGENTPLANE = ['agentplane.dev'];

export const CUSTOM_RIGHTS: readonly DangerousRight[] = [
  {
    id: 'EgressDecided',
    severity: 'Medium',
    apiGroups: AGENTPLANE,
    resources: ['egresspolicies', 'runtimeprofiles', 'secretbindings', 'policybundles'],
    verbs: WRITES,
    why: 'whoever writes a policy or a profile decides what agents may reach, with which Secrets, and by which tools',
  },
  {
    id: 'RecordsForged',
    severity: 'Medium',
    apiGroups: AGENTPLANE,
    resources: [
      'egresspolicies/status',
      'runtimeprofiles/status',
      'secretbindings/status',
      'policybundles/status',
      'capabilityreports',
      'capabilityreports/status',
    ],
    verbs: [...WRITES, ...REMOVALS],
    why: 'what is recorded there is relied on: which objects are ours, and what the cluster can enforce',
  },
  {
    id: 'ControllersDriven',
    severity: 'Medium',
    apiGroups: DRIVEN.apiGroups,
    resources: DRIVEN.resources,
    verbs: WRITES,
    worseInSystem: true,
    why: 'a controller makes pods of it, or applies what it names, with rights of its own',
  },
  {
    id: 'SecretsFetched',
    severity: 'Medium',
    apiGroups: FETCHED.apiGroups,
    resources: FETCHED.resources,
    verbs: WRITES,
    why: 'a controller writes Secrets into a namespace, or out of it, with rights of its own',
  },
];
