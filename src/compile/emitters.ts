/** Which emitter a provider is compiled with. A provider without one is refused by name. */
import type { ProviderName } from '../api/capability.ts';
import type { Emitter } from './emit.ts';
import { emitCilium } from './emit-cilium.ts';
import { emitNetworkPolicy } from './emit-networkpolicy.ts';

export function emitterOf(provider: ProviderName): Emitter | undefined {
  switch (provider) {
    case 'cilium':
      return emitCilium;
    case 'k8s-networkpolicy':
      return emitNetworkPolicy;
    default:
      return undefined;
  }
}
