/** Complaints about installing, upgrading, rolling back and removing, and about tools that compare. */
import type { Complaint } from './complaint.ts';

export const ABOUT_LIFE: readonly Complaint[] = [
  {
    about: 'an upgrade leaves the CRDs as they were, and new fields are refused',
    said: 'paperclipinc/openclaw-operator/issues/168',
    proof: [['api/chart-upgrade', 'takes over every object as it is, and brings what is new in the CRDs']],
  },
  {
    about: 'CRDs that are there already cannot become part of a release',
    said: 'paperclipinc/openclaw-operator/pull/173',
    proof: [
      ['api/chart-ownership', 'by a %s apply, in the version before: refused, and taken over when that is said'],
      ['api/chart-platform', 'the CRDs that were kept are taken up again by a later release, of either Helm'],
    ],
  },
  {
    about: 'a rollback deletes a CRD, and with it every object',
    said: 'NVIDIA/nodewright/issues/464',
    proof: [
      [
        'api/chart-upgrade',
        'goes back: no CRD and no policy is deleted, and every object of the older version is there',
      ],
    ],
  },
  {
    about: 'after a rollback nothing becomes ready again',
    said: 'NVIDIA/nodewright/issues/469',
    proof: [
      ['flavours/upgrade', 'is rolled back with its CRDs, which are the same as before, and works'],
      [
        'api/chart-upgrade',
        'goes back: no CRD and no policy is deleted, and every object of the older version is there',
      ],
      ['api/chart-upgrade', 'is uninstalled and installed anew with the policies in place: none of them is lost'],
    ],
  },
  {
    about: 'a CRD and an object of it in one release race each other',
    said: 'NVIDIA/nodewright/issues/464',
    proof: [
      ['chart/invariant', 'on the fixture %s'],
      ['api/fire/lifecycle', 'goes and comes back: the other kinds go on meanwhile, and policies are in force again'],
    ],
    because: 'no chart renders an object of our own kinds: the safety rules know every kind that one may',
  },
  {
    about: 'after an uninstall, finalizers keep the namespace for ever',
    said: 'VictoriaMetrics/helm-charts/issues/2726',
    proof: [
      ['api/chart-upgrade', 'lets a governed namespace go within a minute'],
      [
        'api/admission/update',
        'keeps the rights of the operator until the operator has let go of its profiles, and is then gone within a minute',
      ],
    ],
  },
  {
    about: 'hooks run an image of somebody else, which is gone or cannot be reached',
    said: 'kyverno/kyverno/issues/14037',
    proof: [
      ['chart/hooks', 'runs the image of the values: %s with %s'],
      ['chart/hooks', 'is pinned by one digest, and pulled with the given Secrets'],
    ],
  },
  {
    about: 'the account of a hook is deleted before the hook runs',
    said: 'argoproj/argo-cd/issues/3928',
    proof: [['chart/hooks', 'run as an account that is no hook itself, and are removed by the next run only']],
  },
  {
    about: 'what the API server fills in is a difference for ever',
    said: 'argoproj/argo-cd/issues/17643',
    proof: [
      ['api/chart-live', 'every object of the three charts is stored as it is rendered'],
      ['api/admission/policies', 'is stored as it is rendered: %s'],
    ],
  },
  {
    about: 'a CRD holds fields that the API server drops',
    said: 'argoproj/argo-cd/issues/6401',
    proof: [
      [
        'chart/crds',
        'holds nothing that the API server removes or defaults away, which would be a difference for ever',
      ],
    ],
  },
  {
    about: 'a role that collects others is rendered with rules, which the cluster overwrites',
    said: 'kyverno/kyverno/pull/4867',
    proof: [
      [
        'chart/customer-roles',
        'are not collected by ours: the rules of a role that collects others are written by the cluster',
      ],
    ],
  },
  {
    about: 'a CRD is too big for a client-side apply',
    said: 'mariadb-operator/mariadb-operator/issues/522',
    proof: [['chart/crds', 'stays within what a client-side apply can carry']],
  },
  {
    about: 'something is random, or looked up, and so never the same twice',
    said: 'argoproj/argo-cd/issues/5202',
    proof: [
      ['chart/templates', 'ask neither the cluster, nor the clock, nor chance'],
      ['chart/templates', 'render the same bytes twice: %s'],
    ],
  },
  {
    about: 'a ServiceMonitor is left out in silence where nobody can ask the cluster',
    said: 'argoproj/argo-cd/issues/6268',
    proof: [
      ['chart/templates', 'ask neither the cluster, nor the clock, nor chance'],
      ['chart/monitoring', 'are what the Prometheus Operator takes, with the monitors that they need'],
    ],
  },
  {
    about: 'a closed schema refuses what a parent chart passes',
    said: 'cert-manager/cert-manager/issues/7334',
    proof: [['chart/subchart', 'renders what it renders alone, globals or not (helm number %i)']],
  },
  {
    about: 'Helm 4 refuses lists in which a key stands twice',
    said: 'helm/helm/issues/31529',
    proof: [
      ['chart/merge-keys', 'holds none twice in any fixture of %s'],
      ['chart/merge-keys', 'of values that repeat themselves is refused by name: %s %j'],
      ['chart/merge-keys', 'of values that repeat themselves holds none twice: %s %j'],
    ],
  },
  {
    about: 'after kubectl scale, an upgrade by Helm 4 is a conflict',
    said: 'k3s-io/helm-controller/issues/343',
    proof: [
      [
        'api/chart-upgrade',
        'forward again, after somebody has scaled the operator by hand: Helm 4 names who, where it had installed by its own means',
      ],
    ],
  },
  {
    about: 'what one upgrade adds, the next cannot change',
    said: 'helm/helm/issues/31516',
    proof: [
      ['api/chart-ownership', 'is changed by the next one, and removed by the one after that, without a conflict'],
    ],
  },
  {
    about: 'leaders are elected in kube-system, or not at all by default',
    proof: [
      ['chart/flags', 'say what the values say'],
      ['api/fire/leader', 'leaves everything to the other one, which goes on'],
    ],
  },
  {
    about: 'the own NetworkPolicy needs the address of the API server, which nobody knows',
    said: 'postfinance/kubelet-csr-approver/issues/158',
    proof: [
      ['cluster/own-network', '$name: reaches the API server by its ports, and no resolver, target or pod at others'],
      [
        'cluster/cilium',
        'the installed parts run in a namespace that enforces Pod Security restricted, and report Cilium',
      ],
    ],
  },
  {
    about: 'a policy of the sandbox controller opens again what ours had shut',
    said: 'curie-eng/curie/issues/795',
    proof: [
      ['api/admission/sandboxes', 'that says of its network %s is refused'],
      ['api/admission/sandboxes', 'that says of its network %s is accepted'],
    ],
  },
  {
    about: 'in crds/, the namespace of a conversion webhook cannot be set',
    said: 'helm/helm/issues/8171',
    proof: [
      [
        'chart/crds',
        'holds nothing that the API server removes or defaults away, which would be a difference for ever',
      ],
    ],
    because: 'the CRDs are templates, and none has a conversion webhook',
  },
  {
    about: 'what is of the cluster cannot be installed apart, by somebody else',
    said: 'opensearch-project/opensearch-k8s-operator/issues/1300',
    proof: [
      ['api/chart-platform', 'a namespace admin can install neither: Helm says what is forbidden'],
      ['api/chart-install', 'takes no right beyond these namespaces'],
    ],
  },
  {
    about: 'an admission rule fails on requests outside of namespaces, and so refuses them all',
    said: 'agentconnect-md/agentconnect/pull/889',
    proof: [
      [
        'api/admission/cluster-scoped',
        'the operator may not %s, whatever RBAC grants it: refused by the rule, not by an error in it',
      ],
    ],
  },
];
