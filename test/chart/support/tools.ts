import { inject } from 'vitest';

/** Absolute paths of the tools, found or built once per run by the global set-up. */
export interface ChartTools {
  readonly helm3: string;
  readonly helm4: string;
  readonly ct: string;
  readonly kubeconform: string;
  readonly crane: string;
  readonly registry: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    chartTools: ChartTools;
  }
}

export function chartTools(): ChartTools {
  return inject('chartTools');
}

/** Both Helms that the charts support, for tests that run on each. */
export function helms(): readonly (readonly [name: string, path: string])[] {
  const { helm3, helm4 } = chartTools();
  return [
    ['helm 3', helm3],
    ['helm 4', helm4],
  ];
}
