/** What a RuntimeProfile demands of its pods. The profile is the parameter of the policy: `params`. */
import { type AdmissionRule, celList, containerRule, rule } from './rule.ts';
import type { Subject } from './subject.ts';
import { tokenOfProfile } from './token.ts';

const allowedPrefix = "params.spec.images.allowedPrefixes.exists(p, c.?image.orValue('').startsWith(p))";
/** What may stand in a reference at all; the runtime knows the rest. */
const REFERENCE = '^[a-z0-9][A-Za-z0-9._:/-]*(@sha256:[0-9a-f]{64})?$';
const DIGEST = '@sha256:[0-9a-f]{64}$';

/** Typed access would need the escaped name of `ephemeral-storage`. */
const LIMITED = ['cpu', 'memory', 'ephemeral-storage'];
const max = 'dyn(params.spec.resources.maxPerContainer)';
const limits = 'c.?resources.?limits.orValue({})';
const exceeds =
  `${celList(LIMITED)}.exists(r, r in ${max} && (!(r in ${limits}) || ` +
  `quantity(string(c.resources.limits[r])).compareTo(quantity(${max}[r])) > 0 || ` +
  // Zero is no limit to a container runtime.
  `quantity(string(c.resources.limits[r])).compareTo(quantity('0')) <= 0))`;

const strangeVolume = "v.exists(k, k != 'name' && !(k in params.spec.pod.volumes))";

const imageRules: readonly AdmissionRule[] = [
  {
    name: 'image-prefix',
    holds: `!variables.containers.exists(c, !${allowedPrefix})`,
    message:
      `'image ' + variables.containers.filter(c, !${allowedPrefix}).map(c, c.?image.orValue('') + ' of container ' + c.name).join(', ') + ` +
      "': spec.images.allowedPrefixes ' + (size(params.spec.images.allowedPrefixes) == 0 ? 'is empty: no image may run' : 'allows ' + params.spec.images.allowedPrefixes.join(', '))",
  },
  containerRule(
    'image-form',
    `!c.?image.orValue('').matches('${REFERENCE}') || c.?image.orValue('').contains('..')`,
    'its image is no plain reference (registry/path:tag@sha256:...)',
  ),
  {
    name: 'image-digest',
    holds: `params.spec.images.digest != 'Required' || !variables.containers.exists(c, !c.?image.orValue('').matches('${DIGEST}'))`,
    message:
      `'image ' + variables.containers.filter(c, !c.?image.orValue('').matches('${DIGEST}')).map(c, c.?image.orValue('') + ' of container ' + c.name).join(', ') + ` +
      "': spec.images.digest is Required: pin it as name@sha256:...'",
  },
];

export function profileRules(subject: Subject): readonly AdmissionRule[] {
  return [
    {
      name: 'runtime-class',
      holds:
        "!has(params.spec.runtimeClassName) || variables.spec.?runtimeClassName.orValue('') == params.spec.runtimeClassName",
      message: "'spec.runtimeClassName must be ' + params.spec.runtimeClassName",
    },
    containerRule(
      'read-only-root',
      `params.spec.pod.readOnlyRootFilesystem == 'Required' && c.?securityContext.?readOnlyRootFilesystem.orValue(false) != true`,
      'spec.pod.readOnlyRootFilesystem is Required: set securityContext.readOnlyRootFilesystem to true',
    ),
    rule(
      'user-namespace',
      "params.spec.pod.userNamespace != 'Required' || variables.spec.?hostUsers.orValue(true) == false",
      'spec.pod.userNamespace is Required: set hostUsers to false',
    ),
    tokenOfProfile(subject),
    {
      name: 'volumes',
      holds: `!variables.volumes.exists(v, ${strangeVolume})`,
      message:
        `'volume ' + variables.volumes.filter(v, ${strangeVolume}).map(v, v.name).join(', ') + ` +
        "': its type is not among spec.pod.volumes (' + params.spec.pod.volumes.join(', ') + ')'",
    },
    {
      name: 'lifetime',
      // A template may hold a null, which is no number.
      holds:
        '!has(params.spec.pod.maxLifetimeSeconds) || ' +
        '[variables.spec.?activeDeadlineSeconds.orValue(null)].all(d, d != null && d <= params.spec.pod.maxLifetimeSeconds)',
      message:
        "'set activeDeadlineSeconds to ' + string(params.spec.pod.maxLifetimeSeconds) + ' or less: spec.pod.maxLifetimeSeconds bounds it'",
    },
    ...imageRules,
    {
      name: 'resources',
      holds: `!variables.running.exists(c, ${exceeds})`,
      message:
        `'container ' + variables.running.filter(c, ${exceeds}).map(c, c.name).join(', ') + ` +
        `': set resources.limits at or below spec.resources.maxPerContainer (' + ${celList(LIMITED)}.filter(r, r in ${max}).map(r, r + ' ' + ${max}[r]).join(', ') + ')'`,
    },
  ];
}
