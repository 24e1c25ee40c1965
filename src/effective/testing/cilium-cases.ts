/** The form of the truth tables of CiliumNetworkPolicy, and the words that their rows are written in. */
import { describe, expect, it } from 'vitest';
import type { Destination, Flow } from '../types.ts';
import { CILIUM, ciliumPolicy, egressOf, outside, verdict } from './scene.ts';

export type Verdict = 'yes' | 'no' | 'unknown';
export type Case = readonly [string, object, Flow, Verdict];

export const near = outside('203.0.113.7', 'api.example.test');
export const far = outside('198.51.100.1', 'a.b.cdn.example.test');
export const host: Destination = { kind: 'node', node: 'host' };
export const otherNode: Destination = { kind: 'node', node: 'remote-node' };

export const allow = (...rules: readonly object[]) => ({ egress: rules });
export const on = (port: string | number, rest: object = {}) => ({ toPorts: [{ ports: [{ port, ...rest }] }] });
export const labels = (matchLabels: object) => ({ toEndpoints: [{ matchLabels }] });
export const expressions = (...matchExpressions: readonly object[]) => ({ toEndpoints: [{ matchExpressions }] });
export const entities = (...toEntities: readonly string[]) => allow({ toEntities });
export const names = (...toFQDNs: readonly object[]) => allow({ toFQDNs });
export const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';

export function describeCases(title: string, cases: readonly Case[]): void {
  describe(`CiliumNetworkPolicy: ${title}`, () => {
    it.each(cases)('%s', (_case, spec, tried, expected) => {
      expect(verdict(egressOf(CILIUM, [], [ciliumPolicy(spec)]), tried)).toBe(expected);
    });
  });
}
