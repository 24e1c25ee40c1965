import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { run } from '../../scripts/lib/exec.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { chartTools, helms } from './support/tools.ts';

/**
 * The notes as Helm renders them. Only an install prints them, and that needs a cluster, so a copy of the chart carries them
 * inside an object.
 */
async function notes(chart: string, values: JsonMap): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'agentplane-notes-'));
  try {
    await cp(chartFolder(chart), copy, { recursive: true });
    const templates = path.join(copy, 'templates');
    await rename(path.join(templates, 'NOTES.txt'), path.join(templates, '_notes.tpl'));
    const file = `${chart}/templates/_notes.tpl`;
    await writeFile(path.join(templates, 'a-notes.yaml'), `notes: {{ include "${file}" $ | quote }}\n`);
    const release = { name: 'agentplane', namespace: 'agentplane-system' };
    const objects = objectsOf(await helmTemplate(chartTools().helm3, copy, values, release));
    return String(objects.find((object) => 'notes' in object)?.notes);
  } finally {
    await rm(copy, { recursive: true });
  }
}

describe('the notes', () => {
  it('say how to govern a namespace while none is', async () => {
    const text = await notes('agentplane', {});
    expect(text).toContain('Nothing is governed yet');
    expect(text).toContain("--set 'governedNamespaces[0].name=<namespace>'");
    // The probe may.
    expect(text).not.toContain('only the inventory');
  });

  it.each(helms())('print an upgrade that %s knows, and that keeps no defaults of an older chart', async (_, helm) => {
    const text = await notes('agentplane', {});
    expect(text).toContain('--namespace agentplane-system --reset-then-reuse-values \\\n');
    const help = await run(helm, ['upgrade', '--help']);
    expect(help).toContain('--reset-then-reuse-values');
  });

  it('name what is governed, sorted, and the next command', async () => {
    const text = await notes('agentplane', { governedNamespaces: [{ name: 'b' }, { name: 'a' }] });
    expect(text).toContain('agentplane-system.\n\nGoverned: a, b\n');
    expect(text).toContain('these namespaces deny all egress');
    expect(text).toContain('allows some.\n\nSee what');
    expect(text).toContain('kubectl --namespace agentplane-system get capabilityreport cluster');
    expect(text).not.toContain('Nothing is governed yet');
  });

  it.each([
    ['some', [{ name: 'a' }, { name: 'b', floor: 'GovernedPods' }]],
    ['all', [{ name: 'b', floor: 'GovernedPods' }]],
  ])('say whom the floor is about where it is not about every pod of %s namespaces', async (_, governedNamespaces) => {
    const text = await notes('agentplane', { governedNamespaces });
    expect(text).not.toContain('these namespaces deny all egress');
    expect(text).toContain(
      'From now on all egress is denied (NetworkPolicy agentplane-floor) until an EgressPolicy allows some: of every pod,\n' +
        'or where the floor is GovernedPods of the pods with the label agentplane.dev/profile.\n\nSee what',
    );
  });

  it('warn of a ServiceMonitor that the own NetworkPolicy keeps out', async () => {
    const monitored = { serviceMonitor: { enabled: true } };
    expect(await notes('agentplane', monitored)).toContain('WARNING: serviceMonitor');
    const open = { ...monitored, networkPolicy: { metricsFrom: [{ podSelector: {}, namespaceSelector: {} }] } };
    expect(await notes('agentplane', open)).not.toContain('WARNING: serviceMonitor');
    const unfenced = { ...monitored, networkPolicy: { enabled: false } };
    expect(await notes('agentplane', unfenced)).not.toContain('WARNING: serviceMonitor');
  });

  it('of the CRDs say how to remove them', async () => {
    expect(await notes('agentplane-crds', {})).toContain('kubectl delete customresourcedefinition');
  });
});
