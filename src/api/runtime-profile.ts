/** RuntimeProfile: what a governed workload may be. The binding is the ServiceAccount its pods run as. */
import type * as z from 'zod';
import { AGE_COLUMN, READY_COLUMNS } from './columns.ts';
import { conditions } from './conditions.ts';
import { bool, int32, int64, list, mapList, obj, objectName, oneOf, setOf, str, time } from './dialect.ts';
import { defineKind } from './kind.ts';
import { ID_IS_IMMUTABLE, stableId } from './meta.ts';
import { MAX_SECRET_KEYS, secretKey } from './secret-key.ts';

/** What a pod may mount. A `hostPath` is not among them, nor is what hands out an identity. */
export const VOLUME_TYPES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;

/** Nothing that outlives the pod, and nothing that a driver of the cluster brings. */
const DEFAULT_VOLUMES = ['configMap', 'downwardAPI', 'emptyDir', 'projected', 'secret'] as const;

const pod = obj('On top of the Pod Security level "restricted", which always holds.', {
  readOnlyRootFilesystem: oneOf('Whether containers must set it.', ['Required', 'Optional']).default('Required'),
  userNamespace: oneOf('Whether pods must run in a user namespace of their own (hostUsers: false).', [
    'Required',
    'Optional',
  ]).default('Optional'),
  serviceAccountToken: oneOf('Whether a token of the account may be mounted.', ['Denied', 'Allowed']).default('Denied'),
  volumes: setOf('The types of volume that may be mounted. Empty: none.', oneOf('A type.', VOLUME_TYPES), {
    max: VOLUME_TYPES.length,
  }).default([...DEFAULT_VOLUMES]),
  maxLifetimeSeconds: int32('Pods must set activeDeadlineSeconds, at this or below.', {
    min: 1,
    max: 31_536_000,
  }).optional(),
});

const images = obj('Which images may run.', {
  allowedPrefixes: setOf(
    'What the name of an image must begin with, registry included. Empty or absent: no image may run.',
    str('A prefix that ends with "/", ":" or "@", so that it cannot be continued by another name.', {
      min: 3,
      max: 255,
      pattern:
        /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?\/([a-z0-9]([-._a-z0-9]*[a-z0-9])?\/)*([a-z0-9]([-._a-z0-9]*[a-z0-9])?[:@])?$/,
    }),
    { max: 32 },
  ).default([]),
  digest: oneOf('Whether images must be pinned by digest.', ['Required', 'Optional']).default('Required'),
});

const quantity = (description: string) =>
  str(description, { min: 1, max: 16, pattern: /^[0-9]{1,9}(\.[0-9]{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/ }).optional();

const resources = obj('What pods may consume.', {
  maxPerContainer: obj('Every container must set a limit, at this or below, for each that is given.', {
    cpu: quantity('CPU, such as 500m or 2.'),
    memory: quantity('Memory, such as 4Gi.'),
    'ephemeral-storage': quantity('Local storage, such as 8Gi.'),
  }).prefault({}),
});

const spec = obj('What a governed workload may be.', {
  id: stableId,
  // Providers select by it as by a label's value.
  serviceAccountName: objectName(
    'Every pod that runs as this ServiceAccount of the namespace is governed by this profile. Immutable. One profile per account.',
    63,
  ),
  runtimeClassName: objectName('The RuntimeClass that pods must name.').optional(),
  pod: pod.prefault({}),
  images: images.prefault({}),
  resources: resources.prefault({}),
  requires: obj('What must hold before a pod is admitted.', {
    egress: oneOf(
      'Applied: an EgressPolicy of the profile is in force. Enforced: and the probe has proven it. None: the floor is enough.',
      ['Applied', 'Enforced', 'None'],
    ).default('Applied'),
  }).prefault({}),
  deletion: obj('How the profile is deleted.', {
    timeoutSeconds: int32('After which a deletion that waits for workloads asks for help. It never gives up.', {
      min: 0,
      max: 604_800,
    }).default(600),
  }).prefault({}),
});

/** More than one profile can sensibly have, and little enough for every pod create to look through. */
export const MAX_BINDINGS = 64;
export const MAX_BUNDLES = 16;
export const MAX_REMAINING = 32;

const admission = obj('What the API server compares pods with. Written by the operator alone.', {
  generation: int64('The generation that this was compiled from. No pod is admitted while it is not the newest.'),
  open: bool('Whether pods are admitted at all.'),
  message: str('Why not, for the author of a pod.', { max: 1024 }).optional(),
  since: time('Since when this generation is admitted: pods that are older were admitted by an older one.').optional(),
  secrets: mapList(
    'The Secrets that pods may name, with the keys that they may read.',
    obj('A Secret.', {
      name: objectName('Its name.'),
      keys: setOf('The keys.', secretKey('A key.'), { min: 1, max: MAX_SECRET_KEYS }),
    }),
    { key: 'name', max: MAX_BINDINGS },
  ).optional(),
  bundles: mapList(
    'The tool policies that pods may mount.',
    obj('A generated ConfigMap.', {
      name: objectName('Its name.'),
      digest: str('The digest of its content.', { max: 80 }),
    }),
    { key: 'name', max: MAX_BUNDLES },
  ).optional(),
});

const workloads = obj('What the profile governs.', {
  pods: int32('Pods that run as its account and have not ended.', { min: 0, max: 1_000_000 }),
  olderGeneration: int32('Those of them that were admitted by an older generation.', { min: 0, max: 1_000_000 }),
  retainedVolumes: int32('PersistentVolumeClaims that carry the label of the profile, where they are followed.', {
    min: 0,
    max: 1_000_000,
  }).optional(),
  remaining: list(
    'While the profile is being deleted: what it waits for, the first of them.',
    obj('An object of the namespace.', {
      kind: oneOf('Its kind.', ['Pod', 'PersistentVolumeClaim']),
      name: objectName('Its name.'),
    }),
    { max: MAX_REMAINING },
  ).optional(),
});

const status = obj('What was observed.', {
  observedGeneration: int64('The generation that this status is about.').optional(),
  admission: admission.optional(),
  workloads: workloads.optional(),
  conditions,
});

export type RuntimeProfileSpec = z.output<typeof spec>;
export type RuntimeProfileStatus = z.output<typeof status>;

export const RuntimeProfile = defineKind({
  kind: 'RuntimeProfile',
  plural: 'runtimeprofiles',
  singular: 'runtimeprofile',
  shortNames: ['rtp'],
  description: 'A RuntimeProfile says which pods of a namespace are governed, and what they may be.',
  spec,
  status,
  columns: [
    {
      name: 'Service Account',
      type: 'string',
      jsonPath: '.spec.serviceAccountName',
      description: 'The account whose pods are governed',
    },
    ...READY_COLUMNS,
    AGE_COLUMN,
  ],
  transitions: [
    ID_IS_IMMUTABLE,
    {
      rule: 'self.serviceAccountName == oldSelf.serviceAccountName',
      message: 'spec.serviceAccountName is immutable: create another RuntimeProfile for another account',
      check: (self, oldSelf) => self.serviceAccountName === oldSelf.serviceAccountName,
    },
  ],
  nameRules: [
    {
      rule: 'size(self.metadata.name) <= 63',
      message: 'the name of a RuntimeProfile is used as a label value: at most 63 characters',
      check: (name) => name.length <= 63,
    },
  ],
});
