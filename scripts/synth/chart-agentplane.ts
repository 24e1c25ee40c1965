import { stringify } from 'yaml';
import { AgentplaneChart } from '../../constructs/agentplane-chart.ts';
import { release } from '../../constructs/expr/expr.ts';
import { all, contains, isEmpty, isSet, join, not, pluck, sortedUnique } from '../../constructs/expr/operators.ts';
import { names } from '../../constructs/names.ts';
import { type AgentplaneRefs, agentplaneValues } from '../../constructs/values/agentplane.ts';
import { valueRefs } from '../../constructs/values/refs.ts';
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import { agentplaneFixtures } from './chart-agentplane-fixtures.ts';
import type { ChartDefinition } from './chart-definition.ts';
import type { Notes } from './notes.ts';

export function agentplaneDefinition(version: string): ChartDefinition {
  return {
    name: 'agentplane',
    description: 'Governs AI-agent sandboxes in the namespaces of one team. Holds no cluster-scoped object.',
    values: agentplaneValues,
    build: (app) => new AgentplaneChart(app, 'agentplane', { version }),
    notes: notes(),
    artifactHub: {
      images: stringify([
        { name: 'agentplane', image: `${agentplaneValues.properties.image.properties.repository.default}:${version}` },
      ]),
    },
    readme: readme(),
    fixtures: agentplaneFixtures,
  };
}

function notes(): Notes {
  const { cilium, governedNamespaces, serviceMonitor, networkPolicy, probe } = valueRefs(agentplaneValues);
  return [
    `AgentPlane is installed in namespace ${release.namespace}.`,
    {
      when: isEmpty(governedNamespaces),
      lines: [
        '',
        'Nothing is governed yet: governedNamespaces is empty, and no operator runs. Name your namespaces:',
        '',
        // Not --reuse-values: it keeps the defaults of the older chart, which lack what the schema of a newer one requires.
        `  helm upgrade ${release.name} <chart> --namespace ${release.namespace} --reset-then-reuse-values \\`,
        "    --set 'governedNamespaces[0].name=<namespace>'",
      ],
    },
    ...floorNotes(governedNamespaces),
    '',
    'See what this cluster can enforce:',
    '',
    `  kubectl --namespace ${release.namespace} get capabilityreport ${names.capabilityReport} --output yaml`,
    '',
    'If its provider is unknown, ask your platform admin to list this namespace in "installs" of the chart agentplane-cluster.',
    {
      when: not(cilium.enabled),
      lines: ['Domain rules need Cilium: set cilium.enabled=true where it is the provider.'],
    },
    {
      when: probe.enabled,
      lines: [
        '',
        `See what packets show of it (canaries run in namespace ${probe.namespace}):`,
        '',
        `  helm test ${release.name} --namespace ${release.namespace} --logs`,
      ],
    },
    {
      when: serviceMonitor.enabled,
      lines: [
        {
          when: all(networkPolicy.enabled, isEmpty(networkPolicy.metricsFrom)),
          lines: [
            'WARNING: serviceMonitor is enabled, but networkPolicy.metricsFrom names nobody: Prometheus is kept out.',
          ],
        },
      ],
    },
  ];
}

function floorNotes(governedNamespaces: AgentplaneRefs['governedNamespaces']): Notes {
  // Where a floor is not given, the default counts, which is about every pod.
  const sparesPods = contains(join(pluck(governedNamespaces, 'floor'), ' '), 'GovernedPods');
  return [
    {
      when: isSet(governedNamespaces),
      lines: [
        '',
        `Governed: ${join(sortedUnique(pluck(governedNamespaces, 'name')), ', ')}`,
        {
          when: not(sparesPods),
          lines: [
            `From now on these namespaces deny all egress (NetworkPolicy ${names.floor}) until an EgressPolicy allows some.`,
          ],
        },
        {
          when: sparesPods,
          lines: [
            `From now on all egress is denied (NetworkPolicy ${names.floor}) until an EgressPolicy allows some: of every pod,`,
            `or where the floor is GovernedPods of the pods with the label ${PROFILE_LABEL}.`,
          ],
        },
      ],
    },
  ];
}

function readme(): readonly string[] {
  return [
    '## Install',
    '',
    'The CRDs come first, from the chart `agentplane-crds`, then `agentplane-cluster` (a platform admin, once per cluster). Then, in a namespace of',
    'its own, with `REGISTRY` in the place of where the image was pushed to, since no public image exists yet (docs/operations.md):',
    '',
    '```sh',
    'kubectl create namespace agentplane && kubectl create namespace team-a',
    'helm install agentplane charts/agentplane --namespace agentplane \\',
    "  --set 'governedNamespaces[0].name=team-a' --set cilium.enabled=true --set image.repository=REGISTRY/agentplane",
    '```',
    '',
    'Governed namespaces, here `team-a`, must exist. Installing needs, in the namespaces concerned, the built-in role `admin` plus exactly the',
    'rights that the chart grants (Kubernetes lets nobody grant what they do not hold): `rbac/ACCESS.md` lists them. With',
    '`serviceMonitor.enabled`, `alerts.enabled` or `networkPolicy.ciliumEgress`, also the right to manage ServiceMonitors, PrometheusRules or',
    'CiliumNetworkPolicies in the release namespace.',
    '',
    '## What it does to a governed namespace',
    '',
    '- NetworkPolicy `agentplane-floor`: denies all egress, with `floor: AllPods` (the default) for every pod of the namespace, with',
    '  `floor: GovernedPods` for the pods that carry the label `agentplane.dev/profile`. It holds without any operator running.',
    '- Role and RoleBinding `agentplane-operator`. The names are fixed: a second install that names the same namespace is refused by Helm.',
    '',
    'An empty `governedNamespaces` installs the inventory alone, so that you can see what the cluster can enforce before you',
    'govern anything. Refused while rendering, with a message: a namespace listed twice, the namespace of the release with the',
    'floor `AllPods` (it would cut the operator off), and the namespaces of the cluster itself (`kube-system` and its like).',
    '',
    '## The probe',
    '',
    'With `probe.enabled`, canaries try with packets what the cluster enforces, in `probe.namespace`, which must exist and hold nothing else.',
    'EgressPolicies then say `Enforced`, and those with `require.verification: Probed` can be Ready. Give `probe.targets`, or domains and CIDR',
    'blocks stay Inconclusive. `helm test` makes one run and prints its table. It is Failed (exit code 3) while a capability of the provider is',
    'Inconclusive, as without every target that the provider needs; see `docs/probe.md`.',
    '',
    '## Uninstall',
    '',
    '`helm uninstall` removes the floor and the Role of the operator as well: what still runs in a governed namespace is then open, but for what',
    'policies select that are still there. So, in this order:',
    '',
    '1. Stop the workloads, and delete their pods.',
    '2. With `admission.enabled`, delete the RuntimeProfiles while the operator runs. Each has a finalizer that only it takes off; one that is left',
    '   takes a hand (docs/operations/finalizers.md).',
    '3. `helm uninstall agentplane --namespace agentplane`.',
    '',
    'EgressPolicies and the other objects may go with the profiles, or stay: they outlive the release, as the CRDs do. Deleting EgressPolicies while',
    'pods run, and then the release, leaves neither policy nor floor.',
  ];
}
