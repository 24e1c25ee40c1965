/** The contract of an emitter: everything in the request has been validated and is supported by the provider. */
import type { EgressPolicySpec } from '../api/egress-policy.ts';
import type { KnownFacts } from './facts.ts';
import type { DesiredObject, Owner } from './names.ts';

/** Whose pods are governed. */
export interface Subject {
  readonly profile: string;
  readonly serviceAccountName: string;
}

export interface EmitRequest {
  readonly owner: Owner;
  readonly spec: EgressPolicySpec;
  readonly subject: Subject;
  readonly facts: KnownFacts;
}

export type Emitter = (request: EmitRequest) => readonly DesiredObject[];
