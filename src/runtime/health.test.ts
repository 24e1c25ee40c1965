import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import { checksRoute, type HttpServer, metricsRoute, startHttpServer } from './health.ts';
import { createMetrics } from './metrics.ts';

let server: HttpServer;
let ready = true;

beforeEach(async () => {
  ready = true;
  const metrics = createMetrics({ prefix: 'test_', defaultMetrics: false });
  metrics.onRequest({ verb: 'get', resource: 'widgets', code: '200', seconds: 0.2 });
  server = await startHttpServer({
    port: 0,
    host: '127.0.0.1',
    logger: createRecordingLogger(),
    routes: {
      '/healthz': checksRoute({}),
      '/readyz': checksRoute({ caches: () => ready, loop: () => true }),
      '/metrics': metricsRoute(metrics.registry),
      '/broken': () => {
        throw new Error('secret text');
      },
    },
  });
});

afterEach(() => server.close());

async function ask(path: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return { status: response.status, body: await response.text() };
}

describe('the server', () => {
  it('answers probes, and says which check fails', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect(await ask('/readyz?verbose')).toEqual({ status: 200, body: 'ok\n' });
    ready = false;
    expect(await ask('/readyz')).toEqual({ status: 503, body: 'not ready: caches\n' });
  });

  it('answers metrics', async () => {
    const { status, body } = await ask('/metrics');
    expect(status).toBe(200);
    expect(body).toContain('test_kube_requests_total{verb="get",resource="widgets",code="200"} 1');
  });

  it.each(['/', '/metrics/', '/debug/pprof', '/constructor', '/__proto__', '/healthz/..%2fmetrics'])(
    'answers 404 for %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  it('answers GET and HEAD only', async () => {
    expect((await ask('/healthz', 'POST')).status).toBe(405);
    expect(await ask('/healthz', 'HEAD')).toEqual({ status: 200, body: '' });
  });

  it('does not show why a route failed', async () => {
    expect(await ask('/broken')).toEqual({ status: 500, body: 'internal error\n' });
  });

  it('survives what is not HTTP', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.end('\u0000\u0001garbage\r\n\r\n'));
      socket.on('close', () => resolve()).on('error', () => undefined);
      socket.resume();
    });
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('rejects a port that is taken', async () => {
    const options = { port: server.port, host: '127.0.0.1', routes: {}, logger: createRecordingLogger() };
    await expect(startHttpServer(options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
