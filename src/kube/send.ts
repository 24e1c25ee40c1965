import type { Agent, Dispatcher } from 'undici';

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Called on an open connection, right before the first byte; when it throws, nothing is sent and the call fails with that. */
  readonly beforeSend: () => void;
}

/**
 * undici's `request`, which by itself looks at the signal only once it has a connection: a server that is stopped accepts one and says
 * nothing, and a call would outlive its deadline by the whole connect timeout.
 */
export async function sendRequest(
  agent: Agent,
  request: Dispatcher.RequestOptions,
  { signal, beforeSend }: SendOptions,
): Promise<Dispatcher.ResponseData> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const response = agent.compose(withCheck(beforeSend)).request({ ...request, signal });
    return await Promise.race([response, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** undici starts a request when it has an open connection for it, and writes nothing when the handler throws. */
function withCheck(beforeSend: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        beforeSend();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}
