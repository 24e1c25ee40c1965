import { describe, expect, test } from 'vitest';
import { CAPABILITIES } from '../api/capability.ts';
import { isRefused } from '../compile/providers/row.ts';
import { PROVIDERS } from '../compile/providers.ts';
import { healthyReport, providerChoices } from './provider.ts';
import { wayOut } from './way-out.ts';

const settings = { dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } }, apiServerPort: 6443 };
const report = (provider: string) => healthyReport({ provider, settings, apiServerAddresses: [], now: new Date(0) });

describe('a healthy cluster of a provider', () => {
  test.each(PROVIDERS.map((row) => [row.name, row] as const))('%s is recognised as what it is', (name, row) => {
    const healthy = report(name);
    if (!healthy.ok) throw new Error(healthy.message);
    expect(healthy.report.provider?.name).toBe(name);
    const isolation = healthy.report.capabilities?.find((item) => item.name === 'isolation');
    expect(isolation?.state).toBe(isRefused(row) ? 'Unsupported' : 'Supported');
  });

  test('the choices are the rows of the table, as they can be typed', () => {
    const names = providerChoices().map((choice) => choice.replace('[@VERSION]', ''));
    expect(names).toHaveLength(PROVIDERS.length + 1);
    for (const name of names) expect(report(name)).toMatchObject({ ok: true });
  });

  test('a version takes away what it does not have yet', () => {
    const state = (provider: string) => {
      const healthy = report(provider);
      return healthy.ok
        ? healthy.report.capabilities?.find(({ name }) => name === 'domain.anyDepth')?.reason
        : undefined;
    };
    expect([state('cilium@1.18.9'), state('cilium@1.19.0'), state('CILIUM')]).toEqual([
      'ProviderTooOld',
      'Declared',
      'Declared',
    ]);
  });
});

describe('the way out', () => {
  test.each(PROVIDERS.map((row) => [row.name] as const))('is known for everything that a healthy %s lacks', (name) => {
    const healthy = report(name);
    if (!healthy.ok) throw new Error(healthy.message);
    for (const { name: capability, state, reason = '' } of healthy.report.capabilities ?? []) {
      if (state === 'Supported') continue;
      expect(wayOut({ capability, reason }, name), `${capability} (${reason})`).not.toBe('');
    }
  });

  test('says more than to do without, wherever any provider can', () => {
    const vague = PROVIDERS.filter((row) => !isRefused(row)).flatMap((row) =>
      [...new Set(row.switches.map(({ reason }) => reason))].filter((reason) =>
        CAPABILITIES.every((capability) => wayOut({ capability, reason }, row.name) === 'leave it out of the policy'),
      ),
    );
    expect(vague).toEqual([]);
  });

  test.each([
    ['PolicyAuditMode', 'isolation', 'change policy-audit-mode in ConfigMap cilium-config'],
    ['ProviderTooOld', 'domain.anyDepth', 'upgrade cilium to 1.19.0 or newer'],
    ['ProviderTooOld', 'cidr', 'upgrade cilium to 1.16.0 or newer'],
  ] as const)('%s of %s', (reason, capability, expected) => {
    expect(wayOut({ capability, reason }, 'cilium')).toContain(expected);
  });
});
