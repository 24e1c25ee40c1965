/** What the built-in roles of the cluster get to say of AgentPlane's kinds: nothing, unless the platform admin wants it. */
import type { V1ClusterRole } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { render } from './support/helm.ts';
import { metadataOf } from './support/objects.ts';

const charts = await loadCharts(REPOSITORY);
const AGGREGATES = /^rbac\.authorization\.k8s\.io\/aggregate-to-(.+)$/;

/** The built-in role that each object adds to. */
function aggregated(objects: readonly JsonMap[]): readonly (readonly [role: string, object: JsonMap])[] {
  return objects.flatMap((object) =>
    Object.keys(metadataOf(object).labels ?? {}).flatMap((label) => {
      const role = AGGREGATES.exec(label)?.[1];
      return role === undefined ? [] : [[role, object] as const];
    }),
  );
}

const verbsOf = (object: JsonMap): readonly string[] =>
  [...new Set(((object as unknown as V1ClusterRole).rules ?? []).flatMap(({ verbs }) => verbs))].sort();

describe('the built-in roles', () => {
  it('get nothing that nobody asked for', async () => {
    for (const { name, fixtures } of charts) {
      for (const values of Object.values(fixtures)) {
        const asked = (values.aggregatedRoles as { enabled?: boolean } | undefined)?.enabled === true;
        expect(aggregated(await render(name, values)).length > 0).toBe(asked);
      }
    }
  });

  it('get what their names say: view only reads, edit writes no policy, and none writes a status or a finalizer', async () => {
    const roles = aggregated(await render('agentplane-cluster', { aggregatedRoles: { enabled: true } }));
    expect(Object.fromEntries(roles.map(([role, object]) => [role, verbsOf(object)]))).toEqual({
      view: ['get', 'list', 'watch'],
      edit: ['get', 'list', 'use', 'watch'],
      admin: ['create', 'delete', 'get', 'list', 'patch', 'pause', 'use', 'watch'],
    });
    for (const [, object] of roles) {
      expect(object.kind).toBe('ClusterRole');
      const rules = (object as unknown as V1ClusterRole).rules ?? [];
      expect(rules.flatMap(({ apiGroups }) => apiGroups)).toEqual(rules.map(() => 'agentplane.dev'));
      expect(rules.flatMap(({ resources = [] }) => resources).filter((each) => each.includes('/'))).toEqual([]);
    }
  });

  it('are not collected by ours: the rules of a role that collects others are written by the cluster', async () => {
    for (const { name, fixtures } of charts) {
      for (const values of Object.values(fixtures)) {
        for (const object of await render(name, values)) expect(object).not.toHaveProperty('aggregationRule');
      }
    }
  });
});
