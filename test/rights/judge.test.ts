/** The comparison itself: what it passes, and beside it what it finds. */
import { describe, expect, it } from 'vitest';
import { grants, operatorGoverned, type Verb } from '../../rbac/rules.ts';
import type { AuditEntry } from '../support/auditLog.ts';
import { type Use, useOf } from '../support/uses.ts';
import { allowedBeyond, askedBeyond, declared, declaredBy, neverUsed } from './judge.ts';

const HOME = 'agentplane';
const listing: AuditEntry = {
  auditID: '1',
  stage: 'ResponseComplete',
  verb: 'list',
  requestURI: '/apis/agentplane.dev/v1alpha1/namespaces/team/runtimeprofiles?limit=500',
  user: { username: `system:serviceaccount:${HOME}:agentplane-operator` },
  userAgent: 'agentplane-operator/1.1.0',
  objectRef: { apiGroup: 'agentplane.dev', resource: 'runtimeprofiles', namespace: 'team' },
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': by('agentplane-operator') },
  requestReceivedTimestamp: '',
};

function by(role: string, namespace = 'team', identity = 'agentplane-operator'): string {
  return `RBAC: allowed by RoleBinding "${role}/${namespace}" of Role "${role}" to ServiceAccount "${identity}/${HOME}"`;
}

function read(changes: Partial<AuditEntry> = {}): Use {
  const use = useOf({ ...listing, ...changes });
  if (use === undefined) throw new Error('it is nobody of ours');
  return use;
}

const allowed = (reason: string) => ({
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': reason },
});
const refused = { annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' } };
const url = (requestURI: string, role: string) => {
  const { objectRef: _, ...entry } = listing;
  const reason = `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "system:authenticated"`;
  return useOf({ ...entry, verb: 'get', requestURI, ...allowed(reason) }) as Use;
};

describe('a record', () => {
  it('is of our accounts alone, and of our programs where they say so', () => {
    expect(read().byProgram).toBe(true);
    expect(read({ userAgent: 'kubectl/v1.36.2' }).byProgram).toBe(false);
    expect(read({ userAgent: 'agentplane-operator-of-a-test/1' }).byProgram).toBe(false);
    expect(useOf({ ...listing, user: { username: `system:serviceaccount:${HOME}:default` } })).toBeUndefined();
    // An administrator who asks in our name.
    const admin = { user: { username: 'admin' }, impersonatedUser: listing.user };
    expect(useOf({ ...listing, ...admin })).toBeUndefined();
  });
});

describe('what was allowed', () => {
  const probe = { user: { username: `system:serviceaccount:${HOME}:agentplane-probe` } };
  const pods = { resource: 'pods', name: 'canary' };
  const probeRole = (namespace: string) => allowed(by('agentplane-probe', namespace, 'agentplane-probe'));

  it.each([
    ['a right of the table', read()],
    [
      'the right of the probe in its own namespace',
      read({ ...probe, verb: 'create', objectRef: { ...pods, namespace: 'canaries' }, ...probeRole('canaries') }),
    ],
    ['discovery', url('/openapi/v3/apis/cilium.io/v2?hash=1', 'system:discovery')],
    ['what was refused', read({ verb: 'delete', ...refused })],
  ])('passes: %s', (_, use) => {
    expect(allowedBeyond([use], declared)).toEqual([]);
  });

  it.each([
    ['another verb', read({ verb: 'delete' })],
    ['another resource', read({ objectRef: { resource: 'secrets', namespace: 'team', name: 'a' } })],
    ['its subresource', read({ verb: 'list', objectRef: { ...listing.objectRef, subresource: 'scale' } })],
    ['the right of another identity', read(probe)],
    ['the same right by another role', read(allowed(by('somebodys')))],
    [
      'the same right by a binding to everybody',
      read(allowed(by('agentplane-operator').replace(/to .*$/, 'to Group "system:authenticated"'))),
    ],
    [
      'the right of the probe where it is installed',
      read({ ...probe, verb: 'create', objectRef: { ...pods, namespace: HOME }, ...probeRole(HOME) }),
    ],
    [
      'a name that is not listed',
      read({
        verb: 'get',
        objectRef: { apiGroup: 'coordination.k8s.io', resource: 'leases', namespace: HOME, name: 'another' },
        ...allowed(by('agentplane-operator-install', HOME)),
      }),
    ],
    ['a program that asks what it may do', url('/apis', 'system:basic-user')],
    ['a program that asks for more of what everybody has', url('/logs', 'system:discovery')],
    ['a binding of everybody that is none of the cluster', url('/version', 'somebodys')],
  ])('is found where nothing declares it: %s', (_, use) => {
    expect(allowedBeyond([use], declared)).toHaveLength(1);
  });
});

describe('what was refused', () => {
  it('is found where a program asked for what is not declared, and passes where it is, or where a test asked', () => {
    expect(askedBeyond([read(refused)], declared)).toEqual([]);
    const undeclared = { ...refused, verb: 'update' };
    expect(askedBeyond([read(undeclared)], declared)).toHaveLength(1);
    expect(askedBeyond([read({ ...undeclared, userAgent: 'kubectl' })], declared)).toEqual([]);
  });
});

describe('a right', () => {
  const [right] = declared;
  const one = right === undefined ? [] : [right];

  it('is used by a program that was allowed by it, and by nobody else', () => {
    expect(neverUsed([read()], one)).toEqual([]);
    const unused = ['agentplane-operator: list agentplane.dev/runtimeprofiles in governed'];
    for (const other of [
      read({ userAgent: 'kubectl' }),
      read(refused),
      read({ verb: 'watch' }),
      read(allowed(by('x'))),
    ])
      expect(neverUsed([other], one)).toEqual(unused);
  });

  it('is one for each verb of the table: one more is missed, and one less is found', () => {
    expect(declared).toHaveLength(grants.flatMap(({ rules }) => rules.flatMap(({ verbs }) => verbs)).length + 1);
    const first = operatorGoverned.rules.slice(0, 1);
    const having = (verbs: readonly Verb[]) =>
      declaredBy([{ ...operatorGoverned, rules: first.map((rule) => ({ ...rule, verbs })) }]);
    const uses = [read(), read({ verb: 'watch' })];
    expect(neverUsed(uses, having(['list', 'watch']))).toEqual([]);
    expect(neverUsed(uses, having(['list', 'watch', 'get']))).toHaveLength(1);
    expect(allowedBeyond(uses, having(['list']))).toHaveLength(1);
  });
});
