import type { Ports } from './types.ts';

/** Whether it is one port by number: Cilium keeps the rules of such a port together, and apart from those of a range that has it. */
export function isSinglePort(port: Ports): boolean {
  return 'from' in port && port.from === port.to;
}
