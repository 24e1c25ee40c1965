/**
 * Nothing newer than what is in force lets a pod in. The API server compares the generations itself, with the objects as parameters, so
 * this holds while the operator is away, and a newer spec never inherits an older success.
 */
import type { AdmissionRule } from './rule.ts';

const observed = 'params.?status.?observedGeneration.orValue(0)';
const READY =
  "params.?status.?conditions.orValue([]).filter(c, c.type == 'Ready' && c.observedGeneration == params.metadata.generation)";

const generation = "', generation ' + string(params.metadata.generation)";
const unjudged = `' has not been judged: its status is about generation ' + string(${observed})`;

/** The state of the profile itself. `admission` is compiled by the operator. */
export const profileInForce: readonly AdmissionRule[] = [
  {
    name: 'kept',
    holds: '!has(params.metadata.deletionTimestamp)',
    message: "'it is being deleted'",
  },
  {
    name: 'generation',
    holds: 'params.?status.?admission.?generation.orValue(0) == params.metadata.generation',
    message:
      "'generation ' + string(params.metadata.generation) + ' is not in force; in force for admission is generation ' + " +
      "string(params.?status.?admission.?generation.orValue(0)) + ': see the status of the profile, and whether the operator runs'",
  },
  {
    name: 'open',
    holds:
      'params.?status.?admission.?open.orValue(false) || params.?status.?admission.?generation.orValue(0) != params.metadata.generation',
    message:
      "'generation ' + string(params.metadata.generation) + ' admits no pod: ' + params.?status.?admission.?message.orValue('see the status of the profile')",
  },
];

/** The consumer's rule (`isActive` in src/api/active.ts), stated once more for the API server. */
export function active(kind: string): AdmissionRule {
  const name = `'${kind} ' + params.metadata.name + ${generation}`;
  return {
    name: 'in-force',
    holds: `${observed} == params.metadata.generation && ${READY}.exists(c, c.status == 'True')`,
    message:
      `${name} + (${observed} == params.metadata.generation ? ' is not in force' + ` +
      `${READY}.map(c, ': ' + c.reason + ': ' + c.message).join('') : ${unjudged})`,
  };
}
