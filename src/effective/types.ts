/**
 * The effective egress of a pod, in the terms in which it is judged. This folder reads policies as their projects define them and knows
 * nothing of how AgentPlane writes its own: it is the judge of what the emitters made, so it may not share their mistakes.
 */

export type Labels = Readonly<Record<string, string>>;

/** The pod whose egress is asked for. */
export interface Subject {
  readonly namespace: string;
  readonly labels: Labels;
  readonly serviceAccountName: string;
}

/** API objects of one or more namespaces as read: shapes are not trusted. */
export interface PolicySet {
  readonly networkPolicies: readonly unknown[];
  readonly ciliumPolicies: readonly unknown[];
}

/** What a policy means depends on who implements it. */
export interface World {
  /** `cilium` implements both kinds. To any other implementation of NetworkPolicy (`networkpolicy`) the Cilium kind counts for nothing. */
  readonly provider: 'cilium' | 'networkpolicy';
  /** Version of Cilium, as `1.20.2`. Without it, whatever any version might open counts as opened. */
  readonly version?: string;
  /** Whether Cilium's proxy for DNS and HTTP rules is off: a policy with such rules is then refused. */
  readonly withoutLayer7?: boolean;
  /** Labels of namespaces by name, where known. The name itself, `kubernetes.io/metadata.name`, is always known. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
  /** Cilium's name of the cluster, `default` when it is not said. */
  readonly clusterName?: string;
}

export interface PolicyRef {
  readonly kind: 'NetworkPolicy' | 'CiliumNetworkPolicy';
  readonly namespace: string;
  readonly name: string;
}

/** One requirement on a label, as in a Kubernetes label selector. A list of them is a conjunction; the empty list matches all. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** A DNS name, or a pattern: `*` stands for any characters of one label, a leading `**.` for one or more labels, a lone `*` for every name. */
export type NamePattern = { readonly name: string } | { readonly pattern: string };

/** Destinations that Cilium knows by name. See cilium/cilium:pkg/policy/api/entity.go. */
export type Entity = 'host' | 'remote-node' | 'kube-apiserver' | 'health' | 'init' | 'ingress' | 'unmanaged';

export type Peer =
  | { readonly kind: 'everything' }
  /** `inCluster`: whether pods and nodes at these addresses are meant too. Under Cilium never. */
  | { readonly kind: 'cidr'; readonly cidr: string; readonly except: readonly string[]; readonly inCluster: boolean }
  /** Both lists hold for the pod: `namespaces` on the labels of its namespace, `pods` on its own labels. */
  | { readonly kind: 'pods'; readonly namespaces: readonly Requirement[]; readonly pods: readonly Requirement[] }
  /** Addresses outside the cluster that were answers to queries for one of these names. */
  | { readonly kind: 'names'; readonly names: readonly NamePattern[] }
  | { readonly kind: 'entity'; readonly entity: Entity }
  /** What cannot be computed from the policy alone: it may open something. `what` names the field, `value` is what it says, as JSON. */
  | { readonly kind: 'unknown'; readonly what: string; readonly value: string };

/** `other` is every IP protocol that has no name here. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP' | 'ICMP' | 'ICMPv6' | 'other';

/** Ports from..to, both included; for ICMP these are message types. Or the port of that name, which each pod defines for itself. */
export type Ports =
  | { readonly protocol: Protocol; readonly from: number; readonly to: number }
  | { readonly protocol: Protocol; readonly name: string };

/** What is looked at beyond the port. Only what passes it is allowed. */
export type Layer7 =
  | { readonly kind: 'dns'; readonly names: readonly NamePattern[] }
  | { readonly kind: 'tls'; readonly names: readonly NamePattern[] }
  /** Rules of another protocol, by their canonical JSON: equal text is equal meaning, more is not known. */
  | { readonly kind: 'other'; readonly rules: string };

export interface Grant {
  readonly peer: Peer;
  readonly ports: 'all' | readonly Ports[];
  readonly layer7?: Layer7;
  /** The policy that says so. Absent where no policy does: the default of a pod that none isolates. */
  readonly source?: PolicyRef;
}

export interface Egress {
  /** Whether any policy restricts the egress of the pod. If none does, one of the grants is `everything`, without a source. */
  readonly isolated: boolean;
  /** The union of these is allowed ... */
  readonly grants: readonly Grant[];
  /** ... but for the union of these. */
  readonly denies: readonly Grant[];
}

/** Where a packet goes: the backend, not the Service in front of it. */
export type Destination =
  /** Outside the cluster. `names`: the DNS names of which the address was an answer. */
  | { readonly kind: 'external'; readonly address: string; readonly names?: readonly string[] }
  /** `namedPorts`: the container ports of the pod by name. What is left out is not known, and not taken to be empty. */
  | {
      readonly kind: 'pod';
      readonly namespace: string;
      readonly namespaceLabels?: Labels;
      readonly labels: Labels;
      readonly serviceAccountName?: string;
      readonly address?: string;
      readonly namedPorts?: Readonly<Record<string, number>>;
    }
  /** `node`: whether it runs on the node of the pod or on another one; absent when it is outside the cluster, at `address`. */
  | { readonly kind: 'kube-apiserver'; readonly node?: 'host' | 'remote-node'; readonly address?: string }
  | { readonly kind: 'node'; readonly node: 'host' | 'remote-node'; readonly address?: string };

export interface Flow {
  readonly to: Destination;
  readonly protocol: Protocol;
  /** The port of the backend; the message type for ICMP. */
  readonly port: number;
  /** The name asked for, when this is a DNS query. */
  readonly query?: string;
  /** The server name of the TLS handshake, when this is one. */
  readonly serverName?: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** The policy that allows it, or that denies it expressly. */
  readonly by?: PolicyRef;
  /** Policies that may allow it, in a way that cannot be computed. Only when it is not allowed otherwise. */
  readonly unknown?: readonly PolicyRef[];
}
