import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import type { Grant } from '../rbac/rules.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';

const grant: Grant = {
  identity: 'agentplane-operator',
  role: 'example',
  chart: 'agentplane',
  namespace: 'governed',
  rules: [
    { apiGroup: '', resource: 'pods', verbs: ['get'], why: 'An example.' },
    {
      apiGroup: 'cilium.io',
      resource: 'ciliumnetworkpolicies',
      verbs: ['get'],
      when: 'cilium.enabled',
      why: 'An example.',
    },
  ],
};
const subjects = [serviceAccountSubject('agentplane-operator', 'system')];

describe('a granted Role', () => {
  it('is bound in the namespace that it is in', () => {
    const chart = new Chart(new App(), 'test');
    const [first] = grant.rules;
    const unconditional = { ...grant, rules: first === undefined ? [] : [first] };
    new GrantedRole(chart, 'role', { grant: unconditional, namespace: 'agents', subjects, labels: {} });
    const [role, binding] = Testing.synth(chart) as Record<string, unknown>[];
    expect(role).toMatchObject({
      metadata: { name: 'example', namespace: 'agents' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    expect(binding).toMatchObject({
      metadata: { namespace: 'agents' },
      roleRef: { kind: 'Role', name: 'example' },
      subjects,
    });
  });

  it('refuses a rule whose names nobody gave: it would be granted for every object', () => {
    const chart = new Chart(new App(), 'test');
    const rules = [
      {
        apiGroup: '',
        resource: 'secrets',
        verbs: ['get'],
        resourceNamesFrom: 'governedNamespaces[].secrets',
        why: 'x',
      },
    ] as const;
    const named = { ...grant, rules };
    const build = () => new GrantedRole(chart, 'role', { grant: named, namespace: 'agents', subjects, labels: {} });
    expect(build).toThrow(/the rule on secrets depends on governedNamespaces\[\].secrets: pass it in "names"/);
  });

  it('refuses a rule whose condition nobody gave: it would be granted always, or never', () => {
    const chart = new Chart(new App(), 'test');
    const build = () => new GrantedRole(chart, 'role', { grant, namespace: 'agents', subjects, labels: {} });
    expect(build).toThrow(/example: the rule on ciliumnetworkpolicies depends on cilium.enabled/);
    expect(chart.node.findAll().filter(ApiObject.isApiObject)).toEqual([]);
  });
});
