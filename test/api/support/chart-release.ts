/** Releases of the charts by a real Helm. Never with `--wait`: without nodes no pod becomes ready. */
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { ScriptError } from '../../../scripts/lib/errors.ts';
import type { RunResult } from '../../../scripts/lib/exec.ts';
import type { ReleaseProps } from '../../../scripts/synth/synth-static.ts';
import { chartFolder, helmTemplate, objectsOf, withValuesFile } from '../../chart/support/helm.ts';
import { metadataOf } from '../../chart/support/objects.ts';
import type { Helm } from '../../support/helm.ts';

export interface Release extends ReleaseProps {
  readonly chart: 'agentplane' | 'agentplane-cluster' | 'agentplane-crds';
  readonly values: JsonMap;
  /** A package, in place of the chart as it is now. */
  readonly packaged?: string;
}

/** What Helm is told to take. */
const sourceOf = ({ chart, packaged }: Release): string => packaged ?? chartFolder(chart);

type Action = 'install' | 'upgrade';

/** Runs Helm, and returns what it said whatever the outcome. */
export function tryRelease(
  helm: Helm,
  action: Action,
  release: Release,
  ...flags: readonly string[]
): Promise<RunResult> {
  return withValuesFile(release.values, (file) =>
    helm.try(action, release.name, sourceOf(release), '--namespace', release.namespace, '--values', file, ...flags),
  );
}

/** @throws ScriptError `CommandFailed` with what Helm said. */
export async function release(helm: Helm, action: Action, wanted: Release, ...flags: readonly string[]): Promise<void> {
  const { code, stderr } = await tryRelease(helm, action, wanted, ...flags);
  if (code !== 0) throw new ScriptError('CommandFailed', `helm ${action} ${wanted.chart}: ${stderr}`);
}

/** A release that is not there is no error. */
export async function uninstall(helm: Helm, { name, namespace }: ReleaseProps): Promise<void> {
  await helm.run('uninstall', name, '--namespace', namespace, '--ignore-not-found');
}

/** What Helm renders for the release, and installs with it: what it makes for `helm test` alone comes and goes. */
export async function rendered(helm: Helm, wanted: Release): Promise<readonly JsonMap[]> {
  const { values, name, namespace } = wanted;
  const objects = objectsOf(await helmTemplate(helm.path, sourceOf(wanted), values, { name, namespace }));
  return objects.filter((object) => metadataOf(object).annotations?.['helm.sh/hook'] === undefined);
}
