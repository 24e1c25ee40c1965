import { inject } from 'vitest';
import type { ProvidedEmbedded } from './embedded.ts';

/** The control plane of this worker: the files that it runs use it in turn, and no other worker does. */
export function controlPlaneOfWorker(): ProvidedEmbedded {
  const worker = Number(process.env.VITEST_POOL_ID);
  const provided = inject('controlPlanes')[worker - 1];
  if (provided === undefined) throw new Error(`there is no control plane for worker ${process.env.VITEST_POOL_ID}`);
  return provided;
}
