/**
 * Istio, as an example of meshes and proxies: what they allow binds whoever sends traffic through them. "Istio cannot securely enforce
 * that all egress traffic actually flows through the egress gateways": istio.io, "Egress Gateways".
 */
import { type RefusedRow, supporting } from './row.ts';

export const ISTIO: RefusedRow = {
  name: 'istio',
  title: 'Istio',
  daemonSets: [],
  insteadOf: [],
  api: { group: 'networking.istio.io', version: 'v1', kind: 'ServiceEntry', field: ['spec', 'hosts'] },
  switches: [],
  supports: supporting(),
  composition: 'cooperative',
  needed: 'a network provider that leaves its gateway as the only way out: a mesh alone never suffices',
};
