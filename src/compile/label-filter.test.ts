import { describe, expect, it } from 'vitest';
import { keepsLabels } from './label-filter.ts';

const account = 'io.cilium.k8s.policy.serviceaccount';
const namespace = 'io.kubernetes.pod.namespace';

describe('a label filter of Cilium', () => {
  it.each([
    ['', true],
    ['  ', true],
    ['k8s:!job-name k8s:!controller-uid', true],
    ['!io\\.cilium', false],
    ['!io.cilium\\.k8s\\.policy\\.serviceaccount', false],
    ['!.*serviceaccount', false],
    ['k8s:app', false],
    ['reserved:.*', false],
    ['io\\.cilium\\.k8s\\.policy\\.serviceaccount', true],
    ['reserved:.* k8s:io.cilium.* k8s:app', true],
    // The longer match wins; of equal ones, the exclusion.
    ['io\\.cilium\\.k8s !io\\.cilium', true],
    ['io\\.cilium !io\\.cilium\\.k8s', false],
    ['io\\.cilium !io\\.cilium', false],
    // An exclusion counts with its shortest match.
    ['io\\.cilium\\.k8s !io\\.cilium\\.k8s\\.policy !io', true],
    ['container:io.cilium.*', false],
    ['container:!io.cilium.*', true],
    // Not understood: not kept.
    ['(app|io.*)', false],
    ['io.cilium.*,k8s:app', false],
    ['[a-z]+', false],
    ['k8s:', false],
    ['!', false],
    [`${'a '.repeat(4096)}io.*`, false],
  ])('%j keeps the account: %s', (filter, kept) => {
    expect(keepsLabels(filter, [account])).toBe(kept);
  });

  it.each([
    ['k8s:app', true],
    ['k8s:app !io\\.kubernetes', true],
    ['!io\\.kubernetes\\.pod\\.namespace', false],
    ['!.*namespace', false],
    ['!io\\.kubernetes', true],
  ])('%j keeps the namespace, which is included by default: %s', (filter, kept) => {
    expect(keepsLabels(filter, [namespace])).toBe(kept);
  });

  it('has to keep every label', () => {
    expect(keepsLabels('!job', ['app', 'tier'])).toBe(true);
    expect(keepsLabels('!job', ['app', 'job-name'])).toBe(false);
  });

  it('is judged in no time, whatever it says', () => {
    const filter = `${'.*'.repeat(2000)}x`;
    const start = process.cpuUsage();
    expect(keepsLabels(filter, [account])).toBe(false);
    expect(keepsLabels('.*a.*', [account])).toBe(true);
    // Microseconds of this process, however busy the machine is.
    expect(process.cpuUsage(start).user).toBeLessThan(200_000);
  });
});
