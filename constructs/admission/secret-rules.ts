/**
 * Which Secrets, and which generated ConfigMaps, a pod of a profile may name: those that the status of the profile lists. A Secret that
 * is taken whole (envFrom, a volume without items) has keys that nobody named, so it is refused.
 */
import { type AdmissionRule, celString, containerRule } from './rule.ts';

export const BUNDLE_PREFIX = 'ap-bundle-';

const BOUND = 'params.?status.?admission.?secrets.orValue([])';
const BUNDLES = 'params.?status.?admission.?bundles.orValue([])';

const bound = (name: string, keys: string): string =>
  `${BOUND}.exists(b, b.name == ${name} && ${keys}.all(k, k in b.keys))`;

const keyRef = 'e.?valueFrom.?secretKeyRef';
const strangeEnv = `${keyRef}.hasValue() && !${bound(`${keyRef}.?name.orValue('')`, `[${keyRef}.?key.orValue('')]`)}`;
const wholeEnv = 'e.?secretRef.hasValue()';
/** `at` holds `items`; without them every key is taken. */
const strangeFiles = (at: string, name: string): string =>
  `${at}.hasValue() && (${at}.?items.orValue([]).size() == 0 || !${bound(name, `${at}.?items.orValue([]).map(i, i.key)`)})`;
const strangeVolume = strangeFiles('v.?secret', "v.?secret.?secretName.orValue('')");
const strangeSource = strangeFiles('s.?secret', "s.?secret.?name.orValue('')");
const csiSecret = "v.?csi.?nodePublishSecretRef.?name.orValue('')";

const WAY_OUT = 'name single keys of a Secret that a SecretBinding of the profile allows and that is Ready';

/** Rules over the environment of containers: a list in a list, so the message names the containers and what is in them. */
function environment(name: string, field: 'env' | 'envFrom', bad: string, shown: string): AdmissionRule {
  const items = `c.?${field}.orValue([])`;
  return {
    name,
    holds: `!variables.containers.exists(c, ${items}.exists(e, ${bad}))`,
    message:
      `variables.containers.filter(c, ${items}.exists(e, ${bad})).map(c, 'container ' + c.name + ', ${field}: ' + ` +
      `${items}.filter(e, ${bad}).map(e, ${shown}).join(', ')).join('; ') + ${celString(`: ${WAY_OUT}`)}`,
  };
}

function volumes(name: string, bad: string, shown: string): AdmissionRule {
  return {
    name,
    holds: `!variables.volumes.exists(v, ${bad})`,
    message: `variables.volumes.filter(v, ${bad}).map(v, 'volume ' + v.name + ': ' + ${shown}).join('; ') + ${celString(`: ${WAY_OUT}`)}`,
  };
}

const SOURCES = 'v.?projected.?sources.orValue([])';

/** `pullSecrets`: CEL of a list of names that the platform admin exempts. */
export function secretRules(pullSecrets: string): readonly AdmissionRule[] {
  return [
    environment(
      'secret-env',
      'env',
      strangeEnv,
      "'Secret ' + e.valueFrom.secretKeyRef.?name.orValue('') + ', key ' + e.valueFrom.secretKeyRef.?key.orValue('')",
    ),
    environment('secret-env-from', 'envFrom', wholeEnv, "'the whole Secret ' + e.secretRef.?name.orValue('')"),
    volumes('secret-volume', strangeVolume, "'Secret ' + v.secret.?secretName.orValue('')"),
    volumes(
      'secret-projected',
      `${SOURCES}.exists(s, ${strangeSource})`,
      `${SOURCES}.filter(s, ${strangeSource}).map(s, 'Secret ' + s.secret.?name.orValue('')).join(', ')`,
    ),
    volumes('secret-csi', `${csiSecret} != ''`, `'Secret ' + ${csiSecret} + ' for its driver'`),
    {
      name: 'pull-secrets',
      holds: `!variables.spec.?imagePullSecrets.orValue([]).exists(s, !(s.?name.orValue('') in ${pullSecrets}))`,
      message:
        `'imagePullSecrets: ' + variables.spec.?imagePullSecrets.orValue([]).filter(s, !(s.?name.orValue('') in ${pullSecrets})).map(s, s.?name.orValue('')).join(', ') + ` +
        "': have the platform admin list it in imagePullSecrets'",
    },
  ];
}

const named = "v.?configMap.?name.orValue('')";
const strangeBundle = (name: string): string =>
  `${name}.startsWith('${BUNDLE_PREFIX}') && !${BUNDLES}.exists(b, b.name == ${name})`;
const sourceName = "s.?configMap.?name.orValue('')";

const fromEnv = "e.?configMapRef.?name.orValue('')";
const keyFromEnv = "e.?valueFrom.?configMapKeyRef.?name.orValue('')";
const strangeInEnv = `c.?envFrom.orValue([]).exists(e, ${strangeBundle(fromEnv)}) || c.?env.orValue([]).exists(e, ${strangeBundle(keyFromEnv)})`;

export const bundleEnvRule: AdmissionRule = containerRule(
  'bundles-env',
  strangeInEnv,
  'its environment names a tool policy that is not in force for the profile',
);

/** A tool policy that is no longer in force, or that belongs to another profile, is not mounted by a new pod. */
export const bundleRule: AdmissionRule = {
  name: 'bundles',
  holds: `!variables.volumes.exists(v, ${strangeBundle(named)} || ${SOURCES}.exists(s, ${strangeBundle(sourceName)}))`,
  message:
    `'volume ' + variables.volumes.filter(v, ${strangeBundle(named)} || ${SOURCES}.exists(s, ${strangeBundle(sourceName)})).map(v, v.name).join(', ') + ` +
    `': this tool policy is not in force for the profile; in force: ' + ${BUNDLES}.map(b, b.name).join(', ')`,
};
