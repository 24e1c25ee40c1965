/** What `Applied` says of an attempt to bring something about, whatever was to be brought about. */
import type { ReasonOf } from '../api/conditions.ts';
import type { Failure } from './ensure.ts';
import type { Finding } from './finding.ts';

export type Attempt =
  | { readonly kind: 'Applied' }
  | { readonly kind: 'Failed'; readonly failure: Pick<Failure, 'reason' | 'message'> }
  | { readonly kind: 'Refused' };

/** `notCompiled`: why there was nothing to apply. */
export function appliedFinding(attempt: Attempt, notCompiled: string): Finding<ReasonOf<'Applied'>> {
  switch (attempt.kind) {
    case 'Applied':
      return { status: 'True', reason: 'Applied', message: 'the API server stores what was compiled' };
    case 'Failed': {
      const { reason, message } = attempt.failure;
      return { status: reason === 'ApplyPending' ? 'Unknown' : 'False', reason, message };
    }
    case 'Refused':
      return { status: 'False', reason: 'NotCompiled', message: notCompiled };
  }
}
