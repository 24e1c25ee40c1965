/** RuntimeProfile: what a governed workload may be. The binding is the ServiceAccount its pods run as. */
import type * as z from 'zod';
import { AGE_COLUMN, READY_COLUMNS } from './columns.ts';
import { conditions } from './conditions.ts';
import { int64, obj, objectName } from './dialect.ts';
import { defineKind } from './kind.ts';
import { ID_IS_IMMUTABLE, stableId } from './meta.ts';

const spec = obj('What a governed workload may be.', {
  id: stableId,
  // Providers select by it as by a label's value.
  serviceAccountName: objectName(
    'Every pod that runs as this ServiceAccount of the namespace is governed by this profile. Immutable. One profile per account.',
    63,
  ),
});

const status = obj('What was observed.', {
  observedGeneration: int64('The generation that this status is about.').optional(),
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
