import { ApiObject, type ApiObjectProps } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Templated } from './expr/fragment.ts';

/**
 * An object of any kind, checked against its type, in which every field may be an expression or a fragment. For kinds whose
 * generated cdk8s class takes literals only: those classes map over lists before expressions are written.
 */
export function manifest<T extends { apiVersion?: string; kind?: string }>(
  scope: Construct,
  id: string,
  object: Templated<T> & { readonly apiVersion: string; readonly kind: string },
): ApiObject {
  return new ApiObject(scope, id, object as unknown as ApiObjectProps);
}
