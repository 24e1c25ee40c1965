import type { Agent, Dispatcher } from 'undici';

/**
 * undici's `request`, with a last look: `beforeSend` is called on an open connection, right before the first byte; when it throws, nothing
 * is sent and the call fails with that.
 */
export function sendRequest(
  agent: Agent,
  request: Dispatcher.RequestOptions,
  beforeSend: () => void,
): Promise<Dispatcher.ResponseData> {
  return agent.compose(withCheck(beforeSend)).request(request);
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
