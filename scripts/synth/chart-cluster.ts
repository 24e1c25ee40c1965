import { ClusterChart } from '../../constructs/cluster-chart.ts';
import { isEmpty, isSet, join, pluck } from '../../constructs/expr/operators.ts';
import { clusterValues } from '../../constructs/values/cluster.ts';
import { valueRefs } from '../../constructs/values/refs.ts';
import type { ChartDefinition } from './chart-definition.ts';

const FIXTURES: ChartDefinition['fixtures'] = {
  empty: {},
  'two-installs': {
    installs: [
      { namespace: 'agentplane-system', governedNamespaces: ['agents', 'more-agents'] },
      { namespace: 'team-a' },
    ],
  },
  'every-list': {
    installs: [{ namespace: 'agentplane-system', governedNamespaces: ['agents'] }],
    enforcement: 'WarnAndAudit',
    tokenAccounts: ['agents/runner', 'agents/build.er'],
    podControllers: ['system:serviceaccount:agent-sandbox-system:agent-sandbox-controller'],
    networkPolicyAuthors: ['admin@example.com'],
    imagePullSecrets: ['registry', 'mirror'],
    runtimeClasses: ['gvisor', 'kata'],
    aggregatedRoles: { enabled: true },
  },
  'common-metadata': {
    commonLabels: { 'cost-center': '4711' },
    commonAnnotations: { 'example.com/runbook': 'https://example.com/{{ name }}' },
    installs: [{ namespace: 'agentplane-system', governedNamespaces: ['agents'] }],
    runtimeClasses: ['gvisor'],
    aggregatedRoles: { enabled: true },
  },
};

export function clusterDefinition(version: string): ChartDefinition {
  const { installs } = valueRefs(clusterValues);
  return {
    name: 'agentplane-cluster',
    description:
      'What only a platform admin may grant to AgentPlane, and the admission policies of governed namespaces.',
    values: clusterValues,
    // The admin's chart speaks for the cluster. On the others, a Helm that renders without a cluster and was built without
    // a default version (it then assumes 1.20) would refuse to render at all.
    kubeVersion: '>=1.30.0-0',
    build: (app) => new ClusterChart(app, 'agentplane-cluster', { version }),
    notes: [
      {
        when: isEmpty(installs),
        lines: [
          'Nothing is granted yet. List the namespaces that AgentPlane is installed in:',
          '',
          "  --set 'installs[0].namespace=agentplane'",
        ],
      },
      {
        when: isSet(installs),
        lines: [
          `The inventory in these namespaces may read the network provider in kube-system: ${join(pluck(installs, 'namespace'), ', ')}`,
          'Install or look at it there: kubectl --namespace <namespace> get capabilityreport cluster',
        ],
      },
    ],
    readme: [
      '## Install',
      '',
      '```sh',
      "helm install agentplane-cluster charts/agentplane-cluster --namespace default --set 'installs[0].namespace=agentplane'",
      '```',
      '',
      'For each install: one Role and one RoleBinding in `kube-system` (`get` on DaemonSets and ConfigMaps of network providers, by name), and',
      'where its `governedNamespaces` are listed, the admission policies of `docs/admission.md` in them, and a fence around the own identities of',
      'the install. Set `admission.enabled` in the release of the chart agentplane then. There is no webhook: the API server decides by itself.',
      '',
      'Once per cluster, with every install in its list. The names are fixed, so that Helm refuses a second release that lists an install or wants',
      'the aggregated roles. One that asks for neither renders nothing, and nobody refuses it. Its namespace is where Helm keeps the release, and no',
      'object is in it; it stays the same for every upgrade (docs/operations.md).',
    ],
    fixtures: FIXTURES,
  };
}
