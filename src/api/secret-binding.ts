/** SecretBinding: which keys of which Secret the pods of a RuntimeProfile may read. AgentPlane never reads a value. */
import type * as z from 'zod';
import { AGE_COLUMN, READY_COLUMNS } from './columns.ts';
import { conditions } from './conditions.ts';
import { int64, obj, objectName, oneOf, setOf, time } from './dialect.ts';
import { defineKind } from './kind.ts';
import { ID_IS_IMMUTABLE, stableId } from './meta.ts';
import { profileRef } from './profile-ref.ts';
import { MAX_SECRET_KEYS, secretKey } from './secret-key.ts';

const spec = obj('What may be read.', {
  id: stableId,
  profileRef,
  secretRef: obj('The Secret of the same namespace.', { name: objectName('Its name.') }),
  keys: setOf('The keys that may be read. Every other key of the Secret stays out of reach.', secretKey('A key.'), {
    min: 1,
    max: MAX_SECRET_KEYS,
  }),
  exposure: oneOf(
    'Who will hold the values. AgentReadable: the pods of the profile. ProxyOnly: a proxy, and never a pod of the profile.',
    ['AgentReadable', 'ProxyOnly'],
  ),
});

export const SECRET_OBSERVATIONS = ['Present', 'Missing', 'KeyMissing', 'NotReadable'] as const;

const status = obj('What was observed.', {
  observedGeneration: int64('The generation that this status is about.').optional(),
  secret: obj('The Secret, as far as its metadata tell.', {
    observed: oneOf('Whether it is there, with its keys.', SECRET_OBSERVATIONS),
    checkedAt: time('When this was found to be so.').optional(),
  }).optional(),
  conditions,
});

export type SecretBindingSpec = z.output<typeof spec>;
export type SecretBindingStatus = z.output<typeof status>;
export type SecretObservation = (typeof SECRET_OBSERVATIONS)[number];

export const SecretBinding = defineKind({
  kind: 'SecretBinding',
  plural: 'secretbindings',
  singular: 'secretbinding',
  shortNames: ['sbind'],
  description: 'A SecretBinding says which keys of a Secret the pods of a RuntimeProfile may read.',
  spec,
  status,
  columns: [
    { name: 'Profile', type: 'string', jsonPath: '.spec.profileRef.name', description: 'The RuntimeProfile' },
    { name: 'Secret', type: 'string', jsonPath: '.spec.secretRef.name', description: 'The Secret' },
    {
      name: 'Observed Secret',
      type: 'string',
      jsonPath: '.status.secret.observed',
      description: 'Whether it is there',
      priority: 1,
    },
    ...READY_COLUMNS,
    AGE_COLUMN,
  ],
  transitions: [ID_IS_IMMUTABLE],
  nameRules: [],
});
