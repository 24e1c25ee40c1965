import { describe, expect, it } from 'vitest';
import { API_SERVER, byName, dns, parseAttempt, resolve, tcp } from './attempt.ts';

describe('an attempt', () => {
  it.each([
    [tcp('10.0.0.1', 80), { kind: 'tcp', host: '10.0.0.1', port: 80 }],
    [tcp('10.0.0.1', 80, 'target'), { kind: 'tcp', host: '10.0.0.1', port: 80, word: 'target' }],
    [tcp('2001:db8::1', 80, 'target'), { kind: 'tcp', host: '2001:db8::1', port: 80, word: 'target' }],
    [byName('api.example.com', 443), { kind: 'name', name: 'api.example.com', port: 443 }],
    [resolve('api.example.com'), { kind: 'resolve', name: 'api.example.com' }],
    [dns('10.0.0.1', 'a.b'), { kind: 'dns', server: '10.0.0.1', port: 53, name: 'a.b' }],
    [dns('2001:db8::1', 'a.b'), { kind: 'dns', server: '2001:db8::1', port: 53, name: 'a.b' }],
  ])('%s is read back', (text, attempt) => {
    expect(parseAttempt(text)).toEqual(attempt);
  });

  it.each(['10.96.0.1', 'fd00::1'])('takes the API server as the kubelet writes it: %s', (host) => {
    const text = API_SERVER.replace('$(KUBERNETES_SERVICE_HOST)', host).replace('$(KUBERNETES_SERVICE_PORT)', '443');
    expect(parseAttempt(text)).toEqual({ kind: 'tcp', host, port: 443 });
  });

  it.each([
    '',
    'tcp://',
    'tcp://host',
    'tcp://host:0',
    'tcp://host:65536',
    'http://host:80',
    'dns://host:53',
    'name://a:1#x',
  ])('%j is none', (text) => {
    expect(parseAttempt(text)).toBeUndefined();
  });
});
