import { KubeConfig } from '@kubernetes/client-node';

export interface UserKubeConfigOptions {
  /** A file; else what the environment's `KUBECONFIG` or the home folder say. */
  readonly file?: string | undefined;
  /** A context of it; else the current one. */
  readonly context?: string | undefined;
}

export interface UserKubeConfig {
  readonly kubeConfig: KubeConfig;
  /** The namespace of the context. */
  readonly namespace: string;
}

/** The kubeconfig of a person, as kubectl would find it. Throws a plain `Error` that says what is missing. */
export function loadUserKubeConfig({ file, context }: UserKubeConfigOptions): UserKubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    if (file === undefined) kubeConfig.loadFromDefault();
    else kubeConfig.loadFromFile(file);
  } catch (error) {
    throw new Error(`the kubeconfig cannot be read: ${describeReadError(error)}`);
  }
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  const current = kubeConfig.getContextObject(kubeConfig.getCurrentContext());
  if (current === null) throw new Error(noContext(kubeConfig));
  // What client-node makes up where it finds nothing.
  if (current.name === 'loaded-context' && current.cluster === 'cluster') throw new Error(NO_KUBECONFIG);
  return { kubeConfig, namespace: current.namespace ?? 'default' };
}

const NO_KUBECONFIG = 'there is no kubeconfig: set KUBECONFIG, or give --kubeconfig';

function noContext(kubeConfig: KubeConfig): string {
  const names = kubeConfig.getContexts().map(({ name }) => name);
  const wanted = kubeConfig.getCurrentContext();
  if (names.length === 0) return 'the kubeconfig has no context';
  return `the kubeconfig has no context "${wanted}": choose one of ${names.join(', ')}`;
}

/** A parser's message quotes the file, which holds credentials. */
function describeReadError(error: unknown): string {
  return error instanceof Error && 'syscall' in error ? error.message : 'it is no kubeconfig';
}
