/** PolicyBundle: which tools the agents of a RuntimeProfile may call. */
import type * as z from 'zod';
import { AGE_COLUMN, READY_COLUMNS } from './columns.ts';
import { conditions } from './conditions.ts';
import {
  dnsLabel,
  exactlyOneOf,
  int32,
  int64,
  list,
  obj,
  objectName,
  oneOf,
  setOf,
  str,
  time,
  withRules,
} from './dialect.ts';
import { defineKind } from './kind.ts';
import { ID_IS_IMMUTABLE, stableId } from './meta.ts';
import { profileRef } from './profile-ref.ts';
import { secretKey } from './secret-key.ts';
import { toolRules } from './tool-rule.ts';

export const BUNDLE_TARGETS = ['Cedar', 'JSON'] as const;
/** Older ones stay as well, but are removed with their bundle only. */
export const MAX_SUPERSEDED = 16;
export const MAX_INEXPRESSIBLE = 64;

const source = withRules(
  obj('Where the rules come from.', {
    inline: obj('Rules that stand here.', { rules: toolRules }).optional(),
    configMapRef: obj('Rules that stand in a ConfigMap of the same namespace, as JSON: {"rules": [...]}.', {
      name: objectName('Its name.'),
      key: secretKey('The key that holds them.'),
      sha256: str(
        'The SHA-256 of what the key holds, in hexadecimal. Anything else is not the bundle that was meant.',
        {
          min: 64,
          max: 64,
          pattern: /^[0-9a-f]{64}$/,
        },
      ),
    }).optional(),
  }),
  [exactlyOneOf('inline', 'configMapRef')],
);

const spec = obj('What may be called.', {
  id: stableId,
  profileRef,
  source,
  targets: setOf('Formats that must be able to express every rule.', oneOf('A format.', BUNDLE_TARGETS), {
    min: 1,
    max: BUNDLE_TARGETS.length,
  }).default(['JSON']),
});

const status = obj('What was observed.', {
  observedGeneration: int64('The generation that this status is about.').optional(),
  output: obj('The generated ConfigMap that is in force.', {
    configMap: objectName('Its name, which its content gives it.'),
    digest: str('The digest of its content.', { max: 80 }),
    generation: int64('The generation that it was compiled from.'),
    uid: str('The UID of the object that was written.', { min: 1, max: 64 }).optional(),
  }).optional(),
  superseded: list(
    'Older outputs that are kept while pods mount them.',
    obj('A generated ConfigMap.', {
      configMap: objectName('Its name.'),
      uid: str('The UID of the object that was written.', { min: 1, max: 64 }),
      since: time('Since when another one is in force.'),
    }),
    { max: MAX_SUPERSEDED },
  ).optional(),
  rules: obj('The rules.', {
    total: int32('How many there are.', { min: 0, max: 4096 }),
    inexpressible: list('The rules that a target cannot express.', dnsLabel('The name of a rule.'), {
      max: MAX_INEXPRESSIBLE,
    }),
  }).optional(),
  conditions,
});

export type PolicyBundleSpec = z.output<typeof spec>;
export type PolicyBundleStatus = z.output<typeof status>;
export type BundleTarget = (typeof BUNDLE_TARGETS)[number];

export const PolicyBundle = defineKind({
  kind: 'PolicyBundle',
  plural: 'policybundles',
  singular: 'policybundle',
  shortNames: ['pbundle'],
  description:
    'A PolicyBundle says which tools the agents of a RuntimeProfile may call. What it does not allow is denied.',
  spec,
  status,
  columns: [
    { name: 'Profile', type: 'string', jsonPath: '.spec.profileRef.name', description: 'The RuntimeProfile' },
    ...READY_COLUMNS,
    { name: 'Output', type: 'string', jsonPath: '.status.output.configMap', description: 'The ConfigMap in force' },
    AGE_COLUMN,
  ],
  transitions: [ID_IS_IMMUTABLE],
  nameRules: [],
});
