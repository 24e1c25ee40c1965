import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from './create-client.ts';
import { type ServerCertificate, selfSignedCertificate } from './testing/certificate.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { PATIENT_MS, WIDGETS, WIDGETS_PATH, widget } from './testing/fixtures.ts';

const REF = { namespace: 'team', name: 'a' };

let certificate: ServerCertificate;
let api: FakeApi;

beforeAll(async () => {
  certificate = selfSignedCertificate('fake-api');
  api = await startFakeApi({ tls: certificate });
  api.collection(WIDGETS_PATH).put(widget('a'));
});

afterAll(() => api.close());

async function readWith(cluster: Record<string, unknown>): Promise<string> {
  const kubeConfig = api.kubeConfig();
  Object.assign(kubeConfig.clusters[0] ?? {}, cluster);
  const client = createClient({ kubeConfig, userAgent: 'tester', requestTimeoutMs: PATIENT_MS });
  try {
    return (await client.get(WIDGETS, REF)).metadata.name;
  } finally {
    await client.close();
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('TLS', () => {
  it('accepts the server whose CA the kubeconfig names', async () => {
    expect(await readWith({ caData: base64(certificate.cert) })).toBe('a');
  });

  it('refuses a server of another CA, and knows that nothing was sent', async () => {
    const caData = base64(selfSignedCertificate('other').cert);
    await expect(readWith({ caData })).rejects.toMatchObject({ reason: 'Transport', outcomeUnknown: false });
  });

  it('refuses a server of another name', async () => {
    const caData = base64(certificate.cert);
    const refused = readWith({ caData, server: api.url.replace('127.0.0.1', 'localhost') });
    await expect(refused).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
  });

  it('does not obey NODE_TLS_REJECT_UNAUTHORIZED or proxy variables', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    try {
      await expect(readWith({})).rejects.toMatchObject({ reason: 'Transport' });
      expect(await readWith({ caData: base64(certificate.cert) })).toBe('a');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('skips verification only where the kubeconfig itself says so', async () => {
    expect(await readWith({ skipTLSVerify: true })).toBe('a');
  });

  it('opens a new pool when the CA changes, and only then', async () => {
    const kubeConfig = api.kubeConfig();
    const cluster = kubeConfig.clusters[0] ?? expect.unreachable('the fake has a cluster');
    Object.assign(cluster, { caData: base64(certificate.cert) });
    const client = createClient({ kubeConfig, userAgent: 'tester', requestTimeoutMs: PATIENT_MS });
    await client.get(WIDGETS, REF);
    await client.get(WIDGETS, REF);
    const before = api.connections;
    Object.assign(cluster, { caData: base64(selfSignedCertificate('other').cert) });
    await expect(client.get(WIDGETS, REF)).rejects.toMatchObject({ reason: 'Transport' });
    expect(api.connections).toBeGreaterThan(before);
    Object.assign(cluster, { caData: base64(certificate.cert) });
    expect((await client.get(WIDGETS, REF)).metadata.name).toBe('a');
    await client.close();
  });
});

describe('a kubeconfig that can not be used', () => {
  it.each([
    ['plain http', { server: 'http://127.0.0.1:1', skipTLSVerify: false }, /plain http/],
    ['no URL', { server: 'not a url' }, /not an http\(s\) URL/],
    ['a proxy', { proxyUrl: 'http://proxy.test' }, /proxy-url/],
  ])('is refused at once: %s', async (_, cluster, message) => {
    await expect(readWith(cluster)).rejects.toThrow(message);
  });
});
