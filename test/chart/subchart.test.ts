import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { byIdentity } from './support/objects.ts';
import { helms } from './support/tools.ts';

const release = { name: 'platform', namespace: 'platform' };
const governed = { governedNamespaces: [{ name: 'agents' }] };
let parent = '';

beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'agentplane-parent-'));
  await mkdir(path.join(parent, 'charts'));
  await cp(chartFolder('agentplane'), path.join(parent, 'charts', 'agentplane'), { recursive: true });
  const chart = {
    apiVersion: 'v2',
    name: 'platform',
    version: '0.1.0',
    dependencies: [{ name: 'agentplane', version: '*', repository: '', condition: 'agentplane.enabled' }],
  };
  await writeFile(path.join(parent, 'Chart.yaml'), stringify(chart));
});

afterAll(() => rm(parent, { recursive: true }));

describe('agentplane as a subchart', () => {
  it.each([0, 1])('renders what it renders alone, globals or not (helm number %i)', async (index) => {
    const [, helm] = helms()[index] ?? ['', ''];
    const alone = await helmTemplate(helm, chartFolder('agentplane'), governed, release);
    const values: JsonMap = { global: { imageRegistry: 'example.com' }, agentplane: { enabled: true, ...governed } };
    const within = await helmTemplate(helm, parent, values, release);
    expect(byIdentity(objectsOf(within))).toEqual(byIdentity(objectsOf(alone)));
  });

  it('renders nothing when its condition is false', async () => {
    for (const [, helm] of helms()) {
      const off = await helmTemplate(helm, parent, { agentplane: { enabled: false } }, release);
      expect(objectsOf(off)).toEqual([]);
    }
  });
});
