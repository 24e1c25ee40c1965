/** What a dangerous request is, and how requests are written down. Everything is a dry run: nothing is left behind. */
import { PROFILE_LABEL } from '../../../src/api/meta.ts';
import type { ApiRequest } from '../../support/raw-api.ts';
import { RUNNING } from './site.ts';

export interface DangerousRequest {
  readonly what: string;
  readonly by: 'tenant' | 'operator';
  readonly request: (namespace: string) => ApiRequest;
  /** The same with nothing dangerous in it. */
  readonly twin: (namespace: string) => ApiRequest;
  /** What the API server says with the admission policies. */
  readonly refused: RegExp;
}

export const DRY = 'dryRun=All';

export const create =
  (path: string, object: (namespace: string) => object) =>
  (namespace: string): ApiRequest => ({
    method: 'POST',
    path: `${path.replace('NS', namespace)}?${DRY}`,
    body: object(namespace),
  });

export const patchPod =
  (body: object, subresource = '') =>
  (namespace: string): ApiRequest => ({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/pods/${RUNNING}${subresource}?${DRY}`,
    contentType: 'application/strategic-merge-patch+json',
    body,
  });

export const labelled = (value: string | null) => ({ metadata: { labels: { [PROFILE_LABEL]: value } } });
