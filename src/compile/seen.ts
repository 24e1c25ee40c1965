/** What the inventory saw of a cluster: the only input to the judgement of what the cluster can enforce. */
import type { ProviderName } from '../api/capability.ts';

export interface SeenDaemonSet {
  readonly name: string;
  readonly desired: number;
  readonly ready: number;
  /** Nodes that run the newest template: the image tags below are of that one. */
  readonly updated: number;
  /** False while the controller has not looked at the newest spec. */
  readonly upToDate: boolean;
  /** Flags of its containers, such as `--run-firewall`, with their values. */
  readonly flags: Readonly<Record<string, string>>;
  /** Image tags by container name. */
  readonly imageTags: Readonly<Record<string, string>>;
}

export interface Seen {
  readonly daemonSets: readonly SeenDaemonSet[];
  /** DaemonSets that may not be read, so that nobody knows whether they are there. */
  readonly unreadable: readonly string[];
  /** The data of the ConfigMaps that were found and may be read, by name. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The names of providers whose API is served with the field that tells it from a look-alike. */
  readonly apis: readonly ProviderName[];
  /** `auto`, or the provider that the admin pinned. A pin is still checked. */
  readonly pin: ProviderName | 'auto';
  /** Addresses of the API server that the admin listed. */
  readonly apiServerAddresses: readonly string[];
  /** Keys of the labels that the resolver's pods are selected by. */
  readonly resolverLabels: readonly string[];
}
