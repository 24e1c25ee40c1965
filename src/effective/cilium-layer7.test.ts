import { describe, expect, it } from 'vitest';
import { CILIUM, ciliumPolicy, egressOf, flow, outside, query, RESOLVER, verdict } from './testing/scene.ts';

const near = outside('203.0.113.7', 'api.example.test');
const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';
const allow = (...rules: readonly object[]) => ({ egress: rules });
const on = (port: string | number, rest: object = {}) => ({ toPorts: [{ ports: [{ port, ...rest }] }] });
const labels = (matchLabels: object) => ({ toEndpoints: [{ matchLabels }] });

describe('DNS rules', () => {
  const resolver = labels({ [NAMESPACE]: 'kube-system', 'k8s-app': 'kube-dns' });
  const ports = [{ port: '53', protocol: 'ANY' }];
  const filter = allow({ ...resolver, toPorts: [{ ports, rules: { dns: [{ matchName: 'api.example.test' }] } }] });
  const judge = (...specs: readonly object[]) => {
    const egress = egressOf(
      CILIUM,
      [],
      specs.map((spec, index) => ciliumPolicy(spec, `cnp-${index}`)),
    );
    return ['api.example.test', 'evil.example.test'].map((name) => verdict(egress, query(name)));
  };

  it('let the names through that they list', () => expect(judge(filter)).toEqual(['yes', 'no']));

  it('count for nothing beside a rule of the same port without them', () => {
    expect(judge(filter, allow({ ...resolver, toPorts: [{ ports }] }))).toEqual(['yes', 'yes']);
    expect(judge(filter, allow(on('53')))).toEqual(['yes', 'yes']);
    expect(judge(filter, allow({ ...labels({ [NAMESPACE]: 'tools' }), toPorts: [{ ports }] }))).toEqual(['yes', 'no']);
  });

  it('hold beside a rule of more ports', () => {
    expect(judge(filter, allow(resolver))).toEqual(['yes', 'no']);
    expect(judge(filter, allow({ ...resolver, ...on('1', { endPort: 1000 }) }))).toEqual(['yes', 'no']);
    expect(judge(allow(resolver))).toEqual(['yes', 'yes']);
  });

  it('that list nothing filter nothing', () => {
    expect(judge(allow({ ...resolver, toPorts: [{ ports, rules: { dns: [] } }] }))).toEqual(['yes', 'yes']);
  });

  it('filter nothing while nothing isolates', () => {
    expect(judge({ ...filter, enableDefaultDeny: { egress: false } })).toEqual(['yes', 'yes']);
    expect(judge({ ...filter, enableDefaultDeny: { egress: false } }, allow({}))).toEqual(['yes', 'no']);
  });

  it('allow nothing but queries', () => {
    expect(verdict(egressOf(CILIUM, [], [ciliumPolicy(filter)]), flow(RESOLVER, 53))).toBe('no');
  });

  it('in patterns mean what the version knows', () => {
    const deep = ciliumPolicy(
      allow({ ...resolver, toPorts: [{ ports, rules: { dns: [{ matchPattern: '**.test' }] } }] }),
    );
    const of = (version: string) => verdict(egressOf({ ...CILIUM, version }, [], [deep]), query('api.example.test'));
    expect(['1.20.2', '1.19.0', '1.18.9'].map(of)).toEqual(['yes', 'yes', 'no']);
  });
});

describe('other rules of layer 7', () => {
  const tls = {
    toEntities: ['world'],
    toPorts: [{ ports: [{ port: '443', protocol: 'TCP' }], serverNames: ['api.example.test'] }],
  };
  const http = {
    toEntities: ['world'],
    toPorts: [{ ports: [{ port: '80', protocol: 'TCP' }], rules: { http: [{ method: 'GET' }] } }],
  };

  it('of server names let those through', () => {
    const egress = egressOf(CILIUM, [], [ciliumPolicy(allow(tls))]);
    const shake = (serverName: string) => verdict(egress, { ...flow(near, 443), serverName });
    expect([shake('api.example.test'), shake('evil.example.test'), verdict(egress, flow(near, 443))]).toEqual([
      'yes',
      'no',
      'no',
    ]);
  });

  it('of HTTP are unknown, and of no list are none', () => {
    const of = (rule: object) => verdict(egressOf(CILIUM, [], [ciliumPolicy(allow(rule))]), flow(near));
    expect(of(http)).toBe('unknown');
    expect(of({ ...http, toPorts: [{ ports: [{ port: '80' }], rules: { http: [] } }] })).toBe('yes');
    expect(of({ toEntities: ['world'], authentication: { mode: 'required' } })).toBe('unknown');
  });
});
