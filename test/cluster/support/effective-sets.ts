/** Sets of policies for one pod each: a few by hand for what is least obvious, the rest generated from a fixed seed. */
import fc from 'fast-check';
import { ACCOUNT_LABEL } from '../../../src/effective/identity.ts';
import { type AddressOf, ciliumDraft, type Draft, kubernetesDraft } from './effective-drafts.ts';

export type DraftSet = readonly Draft[];

/** Changing it changes every set: all that was seen to agree is then to be seen again. */
const SEED = 20_261;

/** As many sets as asked for. */
export function policySets(count: number, addressOf: AddressOf): readonly DraftSet[] {
  const byHand = setsByHand(addressOf);
  const draft = fc.oneof(kubernetesDraft(addressOf), ciliumDraft(addressOf));
  const generated = fc.array(draft, { minLength: 2, maxLength: 4 });
  return [...byHand, ...fc.sample(generated, { seed: SEED, numRuns: count - byHand.length })];
}

const DNS = {
  toEndpoints: [{ matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'kube-system', 'k8s-app': 'kube-dns' } }],
};
const PORTS_53 = [
  { port: '53', protocol: 'UDP' },
  { port: '53', protocol: 'TCP' },
];
const FILTER = { ...DNS, toPorts: [{ ports: PORTS_53, rules: { dns: [{ matchName: 'api.example.test' }] } }] };
const HTTP = { toPorts: [{ ports: [{ port: '80', protocol: 'TCP' }] }] };

/** What the definitions say only between the lines, each of it a way in which a policy is wider or narrower than it looks. */
function setsByHand(addressOf: AddressOf): readonly DraftSet[] {
  const api = `${addressOf(201)}/32`;
  const range = `${addressOf(200)}/29`;
  return [
    [np({ policyTypes: ['Egress'] })],
    [np({ policyTypes: ['Ingress'], egress: [{ to: [{ ipBlock: { cidr: api } }] }] })],
    [np({ policyTypes: ['Ingress'] }), cnp({ ingress: [{}], enableDefaultDeny: { egress: true } })],
    [cnp({ egress: [{}] })],
    [{ ...cnp({ egress: [{ toCIDR: [api], toEntities: ['host'] }] }), refused: true }],
    [cnp({ egress: [{ toCIDRSet: [], ...HTTP }] })],
    [cnp({ egress: [{ toFQDNs: [], ...HTTP }] })],
    [cnp({ egress: [FILTER, DNS] })],
    [cnp({ egress: [FILTER] }), cnp({ egress: [{ ...DNS, toPorts: [{ ports: PORTS_53 }] }] })],
    [cnp({ egress: [FILTER], enableDefaultDeny: { egress: false } })],
    [cnp({ egressDeny: [{ toCIDR: [range] }], enableDefaultDeny: { egress: false } })],
    [cnp({ egress: [{ toEntities: ['all'] }], egressDeny: [{ toEntities: ['kube-apiserver'] }] })],
    [cnp({ egress: [{ toEndpoints: [{ matchLabels: { 'reserved:host': '' } }] }] })],
    [
      np({ policyTypes: ['Egress'], egress: [{}] }),
      cnp({ egressDeny: [{ toCIDRSet: [{ cidr: range, except: [api] }] }] }),
    ],
    [cnp({ egress: [{ toEntities: ['world'], toPorts: [{}] }, FILTER] })],
  ];
}

function np(spec: object): Draft {
  return { kind: 'NetworkPolicy', selects: 'label', spec };
}

function cnp(spec: object): Draft {
  return { kind: 'CiliumNetworkPolicy', selects: 'account', spec };
}

export interface Owner {
  readonly namespace: string;
  /** Of the pod, in its label `subject`, and of its ServiceAccount. */
  readonly subject: string;
  /** Before the name of each policy. */
  readonly prefix: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The drafts as API objects that are about the pod of the owner. */
export function objectsOf(drafts: DraftSet, { namespace, subject, prefix, labels }: Owner): readonly PolicyObject[] {
  return drafts.map(({ kind, selects, spec }, index) => ({
    apiVersion: kind === 'NetworkPolicy' ? 'networking.k8s.io/v1' : 'cilium.io/v2',
    kind,
    metadata: { namespace, name: `${prefix}-${index}`, labels },
    spec: { [kind === 'NetworkPolicy' ? 'podSelector' : 'endpointSelector']: selectorOf(selects, subject), ...spec },
  }));
}

export interface PolicyObject {
  readonly kind: Draft['kind'];
  readonly metadata: { readonly name: string };
}

function selectorOf(selects: Draft['selects'], subject: string): object {
  switch (selects) {
    case 'label':
      return { matchLabels: { subject } };
    case 'account':
      return { matchLabels: { [`k8s:${ACCOUNT_LABEL}`]: subject } };
    case 'expression':
      return {
        matchExpressions: [
          { key: 'subject', operator: 'In', values: [subject, 'nobody'] },
          { key: 'app', operator: 'NotIn', values: ['web'] },
        ],
      };
    case 'none':
      return { matchLabels: { subject, app: 'web' } };
  }
}
