/** A judgement that becomes a condition: types and reasons are those of the API. */
import type { ConditionStatus, ConditionType, Reason } from '../api/conditions.ts';

export interface Observation {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}
