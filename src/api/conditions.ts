/** Condition types and reasons of all kinds: closed sets, so that a consumer can switch on them. docs/conditions.md. */
import type * as z from 'zod';
import { int64, mapList, obj, oneOf, str, time } from './dialect.ts';

/** In the order in which a policy gets in force; `Ready` takes its reason from the first that stands in the way. */
export const CONDITION_TYPES = [
  'Accepted',
  'Supported',
  'DependenciesResolved',
  'Compiled',
  'Applied',
  'Enforced',
  'Exclusive',
  'Degraded',
  'Ready',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

/** Every reason a condition of that type may carry. */
export const REASONS = {
  Accepted: ['Accepted', 'InvalidPolicy', 'IdentityConflict', 'SubjectConflict'],
  Supported: [
    'Supported',
    'UnsupportedProvider',
    'AmbiguousProvider',
    'InventoryStale',
    'InventoryMissing',
    'NotEvaluated',
  ],
  DependenciesResolved: ['Resolved', 'DependencyMissing', 'FloorMissing', 'DependencyNotReadable', 'NotEvaluated'],
  Compiled: ['Compiled', 'CompilationFailed', 'CompilationPending'],
  Applied: [
    'Applied',
    'OwnershipConflict',
    'FieldConflict',
    'RejectedByAdmission',
    'ApplyRejected',
    'Forbidden',
    'NotCompiled',
    'ApplyPending',
    'DriftAccepted',
    'ContestedField',
  ],
  Enforced: ['Probed', 'ProbeFailed', 'NotProbed', 'ProbeInconclusive', 'ProbeExpired'],
  Exclusive: ['NoOtherPolicy', 'WidenedByOtherPolicy', 'NotEvaluated'],
  Degraded: [
    'DriftRestored',
    'DriftAccepted',
    'ContestedField',
    'DriftNotRestorable',
    'ProviderLost',
    'KeepingPrevious',
    'CleanupRequiresOperatorAction',
  ],
} as const satisfies Record<Exclude<ConditionType, 'Ready'>, readonly string[]>;

export type ReasonOf<T extends keyof typeof REASONS> = (typeof REASONS)[T][number];
/** `Ready` has two of its own: it holds, or the object is on its way out. */
export type Reason = ReasonOf<keyof typeof REASONS> | 'Ready' | 'Deleting';

/** The longest message a condition carries; metav1.Condition allows 32768, a person reads less. */
export const MAX_CONDITION_MESSAGE = 1024;

export const condition = obj('An observation about one generation of the object.', {
  type: str('The kind of observation.', { min: 1, max: 316 }),
  status: oneOf('Whether it holds.', CONDITION_STATUSES),
  reason: str('A stable, machine-readable reason in CamelCase.', {
    min: 1,
    max: 128,
    pattern: /^[A-Za-z][A-Za-z0-9]*$/,
  }),
  message: str('The same for a person: object, field, reason and the way out.', { max: MAX_CONDITION_MESSAGE }),
  observedGeneration: int64('The generation this observation is about.'),
  lastTransitionTime: time('When the status last changed.'),
});
export type Condition = z.output<typeof condition>;

export const conditions = mapList('Observations, one of each type.', condition, { key: 'type', max: 16 }).optional();
