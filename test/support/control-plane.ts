import { inject } from 'vitest';

/** What a test file gets by `controlPlaneOfWorker()`. `attachEmbedded(folder)` turns it into the control plane. */
export interface ProvidedEmbedded {
  readonly folder: string;
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly auditLogPath: string;
  /** Path of a kubectl of the control plane's version. */
  readonly kubectl: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly controlPlanes: readonly ProvidedEmbedded[];
    /** Path of the bundle: what an image holds, and what starts in a third of the time that the sources take. */
    readonly program: string;
  }
}

/** The control plane of this worker: the files that it runs use it in turn, and no other worker does. */
export function controlPlaneOfWorker(): ProvidedEmbedded {
  const worker = Number(process.env.VITEST_POOL_ID);
  const provided = inject('controlPlanes')[worker - 1];
  if (provided === undefined) throw new Error(`there is no control plane for worker ${process.env.VITEST_POOL_ID}`);
  return provided;
}
