/** What the API server is told of a profile, and compares pods with. Pure; the clock is passed in. */
import { MAX_BUNDLES, type RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { compareText } from '../../compile/canonical.ts';
import { boundedText } from '../../kube/text.ts';
import { isRecord, type KubeObject } from '../../kube/types.ts';
import { wholeSeconds } from '../../runtime/conditions.ts';
import { allowedSecrets } from '../bindings.ts';
import { byAge } from '../identity.ts';
import { isInForce } from '../observable.ts';

export type Admission = NonNullable<RuntimeProfileStatus['admission']>;

/** The schema's bound. */
const MAX_MESSAGE = 1024;

export interface AdmissionRequest {
  readonly generation: number;
  /** Why no pod is admitted; undefined when pods are. */
  readonly closed: string | undefined;
  /** The SecretBindings and PolicyBundles of the profile. */
  readonly bindings: readonly KubeObject[];
  readonly bundles: readonly KubeObject[];
  /** What the API server was told before. */
  readonly previous: Admission | undefined;
  readonly now: Date;
}

export function admissionOf({ generation, closed, bindings, bundles, previous, now }: AdmissionRequest): Admission {
  const open = closed === undefined;
  // Of this generation: what an older one admitted is older.
  const openedBefore = previous?.generation === generation ? previous.since : undefined;
  const since = openedBefore ?? (open ? wholeSeconds(now) : undefined);
  const secrets = allowedSecrets(bindings);
  const allowedBundles = bundlesInForce(bundles);
  return {
    generation,
    open,
    ...(closed === undefined ? {} : { message: boundedText(closed, MAX_MESSAGE) }),
    ...(since === undefined ? {} : { since }),
    ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
    ...(allowedBundles.length === 0 ? {} : { bundles: [...allowedBundles] }),
  };
}

type Bundle = NonNullable<Admission['bundles']>[number];

/** Two bundles of one content have one output. */
function bundlesInForce(bundles: readonly KubeObject[]): readonly Bundle[] {
  const outputs = bundles
    .filter((bundle) => bundle.metadata.deletionTimestamp === undefined && isInForce(bundle))
    .sort(byAge)
    .flatMap(outputOf);
  const byName = new Map(outputs.map((output) => [output.name, output]));
  return [...byName.values()].slice(0, MAX_BUNDLES).sort((a, b) => compareText(a.name, b.name));
}

function outputOf({ status }: KubeObject): readonly Bundle[] {
  const output = isRecord(status) ? status.output : undefined;
  if (!isRecord(output)) return [];
  const { configMap, digest } = output;
  return typeof configMap === 'string' && typeof digest === 'string' ? [{ name: configMap, digest }] : [];
}
