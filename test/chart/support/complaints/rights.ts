/** Complaints about what a chart wants to be allowed, and about what it makes for the whole cluster. */
import type { Complaint } from './complaint.ts';

export const ABOUT_RIGHTS: readonly Complaint[] = [
  {
    about: 'it wants a ClusterRole, which the cluster does not give to a team',
    said: 'kubernetes-sigs/agent-sandbox/issues/1440',
    proof: [
      ['chart/safety', 'find nothing in the chart'],
      ['api/chart-install', 'takes no right beyond these namespaces'],
    ],
  },
  {
    about: 'rights cannot be kept to some namespaces',
    said: 'kagent-dev/kagent/issues/1546',
    proof: [
      ['chart/rbac', '%s holds the rules of rbac/rules.ts, no more and no less, and is bound to its identity alone'],
      ['api/chart-authority', 'holds in every namespace what the table says, what everybody holds, and nothing else'],
    ],
  },
  {
    about: 'an empty list of namespaces gives an operator without any rights',
    said: 'konpyutaika/nifikop/issues/724',
    proof: [['chart/rbac', 'means that no identity exists that may write in a namespace']],
    because: 'an empty list means that nothing is governed, and then no operator is rendered',
  },
  {
    about: 'the namespaced variant of the rights lacks rules of the other one',
    said: 'grafana/k6-operator/issues/667',
    proof: [['chart/rbac', 'are all there is: no Role or RoleBinding beyond the table']],
    because: 'there is one variant',
  },
  {
    about: 'a Role has rules on what lives in no namespace',
    said: 'external-secrets/external-secrets/issues/5143',
    proof: [['chart/role-scope', 'is about what lives in a namespace, in every fixture']],
  },
  {
    about: 'a minor version brings a ClusterRole into what was namespaced',
    said: 'kubernetes-sigs/external-dns/issues/5832',
    proof: [['chart/invariant', 'on the fixture %s']],
  },
  {
    about: 'rights are given with wildcards',
    said: 'grafana/alloy-operator/issues/163',
    proof: [
      ['chart/safety', 'find %s'],
      ['api/authority', 'was used in full, and nothing was refused'],
    ],
  },
  {
    about: 'who installs it would have to hold everything in order to grant it',
    said: 'StarRocks/starrocks-kubernetes-operator/pull/797',
    proof: [
      [
        'api/chart-install',
        'takes what the Roles grant: installs, upgrades and uninstalls with that, and leaves nothing',
      ],
      ['api/chart-install', 'without %s: Helm names it, unless it is covered'],
    ],
  },
  {
    about: 'it lists the Secrets of the whole cluster',
    said: 'cert-manager/cert-manager/issues/7598',
    proof: [
      ['chart/safety', 'let a Secret be got by its name'],
      ['api/chart-authority', 'is refused to it, and not to a cluster administrator: %s'],
    ],
  },
  {
    about: 'labels of aggregation give rights to users whom nobody asked about',
    said: 'cloudnative-pg/charts/pull/39',
    proof: [
      ['chart/customer-roles', 'get nothing that nobody asked for'],
      [
        'chart/customer-roles',
        'get what their names say: view only reads, edit writes no policy, and none writes a status or a finalizer',
      ],
    ],
  },
  {
    about: 'admission policies of a fixed name: a second release fails halfway',
    said: 'Kong/kong-operator/issues/2154',
    proof: [
      ['api/chart-ownership', '%s is refused before anything is written, and leaves nothing that could be uninstalled'],
    ],
  },
  {
    about: 'one release name in two namespaces collides in objects of the cluster',
    said: 'grafana/alloy-operator/issues/4',
    proof: [
      [
        'api/chart-releases',
        'two releases that govern different namespaces stand side by side: neither reaches the other',
      ],
    ],
  },
  {
    about: 'the chart renders its own Namespace, which --create-namespace made already',
    said: 'istio/istio/issues/32084',
    proof: [
      ['chart/safety', 'find %s'],
      ['chart/invariant', 'on the fixture %s'],
    ],
  },
];
