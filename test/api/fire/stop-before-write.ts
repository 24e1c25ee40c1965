/**
 * Preloaded into an operator: stops the process, as a hypervisor may at any time, between its decision to write and the first byte. A signal from
 * outside hardly ever meets that moment, and a process that waits for its sockets looks at its timers first when it goes on.
 */
import { subscribe } from 'node:diagnostics_channel';

interface RequestCreated {
  readonly request: { readonly method: string; readonly path: string };
}

/** Once: what is tried again afterwards is another write. */
let at = process.env.STOP_BEFORE ?? '';

subscribe('undici:request:create', (message) => {
  const { request } = message as RequestCreated;
  if (at === '' || request.method === 'GET' || !request.path.includes(at)) return;
  at = '';
  process.kill(process.pid, 'SIGSTOP');
});
