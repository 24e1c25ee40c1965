import { type RunResult, run, tryRun } from '../../scripts/lib/exec.ts';
import { directApply } from './direct-apply.ts';
import { directGet } from './direct-get.ts';
import { type ApiAnswer, type ApiRequest, type RawApi, rawApi } from './raw-api.ts';
import { servedKinds } from './served-kinds.ts';

/** A kubectl bound to one kubeconfig. It knows no other, and reads none from the environment. */
export interface Kubectl {
  readonly path: string;
  readonly kubeconfigPath: string;
  /** Standard output of a call that must succeed. */
  run(...args: readonly string[]): Promise<string>;
  /** Output and exit code, whatever it is. */
  try(...args: readonly string[]): Promise<RunResult>;
  /** The parsed object of `get -o json`; undefined when it does not exist. */
  get<T>(...args: readonly string[]): Promise<T | undefined>;
  /** Server-side apply of plain objects. Returns what kubectl printed, where more is asked of it. */
  apply(objects: readonly object[], ...args: readonly string[]): Promise<string>;
  /** Deletes plain objects, and waits until they are gone. What does not exist is no error. */
  remove(objects: readonly object[]): Promise<void>;
  /** One request to the same API server, for what is asked so often that a process each would be too many. */
  request(request: ApiRequest): Promise<ApiAnswer>;
}

export function kubectlFor(kubectlPath: string, kubeconfigPath: string): Kubectl {
  const env = { KUBECONFIG: kubeconfigPath };
  let opened: Promise<RawApi> | undefined;
  const api = () => {
    opened ??= rawApi(kubeconfigPath).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const kinds = servedKinds(api);
  const [direct, applyDirectly] = [directGet(api, kinds), directApply(api, kinds)];
  const stdin = (objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join('\n---\n');
  return {
    path: kubectlPath,
    kubeconfigPath,
    run: (...args) => run(kubectlPath, args, { env }),
    try: (...args) => tryRun(kubectlPath, args, { env }),
    async get<T>(...args: readonly string[]): Promise<T | undefined> {
      const found = await direct(args);
      if (found !== undefined) return found.object as T | undefined;
      const text = await run(kubectlPath, ['get', '-o', 'json', '--ignore-not-found', ...args], { env });
      return text.trim() === '' ? undefined : (JSON.parse(text) as T);
    },
    async apply(objects, ...args) {
      const applied = args.length === 0 ? await applyDirectly(objects) : 'unsure';
      if (applied === 'applied') return '';
      const output = await run(kubectlPath, ['apply', '--server-side', '-f', '-', ...args], {
        env,
        input: stdin(objects),
      });
      if (applied === 'unsure') return output;
      throw new Error(`refused, and taken a moment later: ${applied.refused}`);
    },
    async remove(objects) {
      const args = ['delete', '--ignore-not-found', '--wait', '--timeout=120s', '-f', '-'];
      await run(kubectlPath, args, { env, input: stdin(objects) });
    },
    request: async (request) => (await api())(request),
  };
}
