/** What the status of an object of ours says, read without trust in its shape: whoever may write a status may write anything. */
import { isActive, type Observable } from '../api/active.ts';
import type { Condition, ConditionType } from '../api/conditions.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';

export function observableOf({ metadata, status }: KubeObject): Observable {
  const { generation } = metadata;
  if (!isRecord(status)) return { metadata: { generation } };
  const { observedGeneration, conditions } = status;
  const known = Array.isArray(conditions) ? (conditions.filter(isRecord) as unknown as readonly Condition[]) : [];
  return {
    metadata: { generation },
    status: { ...(typeof observedGeneration === 'number' ? { observedGeneration } : {}), conditions: known },
  };
}

/** Whether the newest spec has been judged, whatever came of it. */
export function isJudged(object: KubeObject): boolean {
  const { metadata, status } = observableOf(object);
  return metadata.generation !== undefined && status?.observedGeneration === metadata.generation;
}

/** Whether the newest spec is in force. */
export function isInForce(object: KubeObject): boolean {
  return isActive(observableOf(object));
}

/** What the status says about the newest spec; undefined when it says nothing about it. */
export function conditionOf(object: KubeObject, type: ConditionType): Condition | undefined {
  const { metadata, status } = observableOf(object);
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found?.observedGeneration === metadata.generation ? found : undefined;
}
