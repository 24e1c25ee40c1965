/** A run, from its lock to its end, against staged pods. */
import { describe, expect, it } from 'vitest';
import { factsFor } from '../compile/testing.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import type { KubeObject } from '../kube/types.ts';
import { runProbe } from './run.ts';
import { ANCHOR, policyOf } from './subjects.ts';
import { type FakeLab, fakeLab, runSettings } from './testing-lab.ts';

const facts = factsFor('cilium', { 'domain.tlsServerName': 'NotImplemented', 'family.ipv6Only': 'IPv4Enabled' });

function start(lab: FakeLab, signal = new AbortController().signal) {
  const { client, clock } = lab;
  return runProbe(runSettings, facts, { client, clock, logger: createRecordingLogger(), signal });
}

async function results(lab: FakeLab): Promise<Readonly<Record<string, string>>> {
  const { capabilities } = await lab.settle(start(lab));
  return Object.fromEntries(capabilities.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]));
}

const created = (lab: FakeLab) => lab.calls.filter((call) => call.startsWith('create')).map((call) => call.slice(7));

describe('a run', () => {
  it('verifies what is enforced, and leaves nothing behind', async () => {
    const lab = fakeLab();
    expect(await results(lab)).toMatchObject({
      isolation: 'Verified/Proven',
      cidr: 'Verified/Proven',
      'dns.filter': 'Verified/Proven',
    });
    expect([...lab.objects.keys()]).toEqual([]);
    expect(lab.calls.at(0)).toBe(`create Pod ${ANCHOR}`);
    expect(lab.calls.at(-1)).toBe(`delete Pod ${ANCHOR}`);
  });

  it('fails where nothing is enforced', async () => {
    const lab = fakeLab();
    lab.staged.enforces = false;
    expect(await results(lab)).toMatchObject({ isolation: 'Failed/DenyLeaked', cidr: 'Failed/DenyLeaked' });
  });

  it('has its policies there before any pod tries, and everything is owned by the first', async () => {
    const lab = fakeLab();
    const owned: (readonly [string, readonly unknown[] | undefined])[] = [];
    lab.staged.refuse = ({ kind, metadata }) => {
      owned.push([`${kind} ${metadata.name}`, metadata.ownerReferences]);
      return undefined;
    };
    await lab.settle(start(lab));
    const names = created(lab);
    const firstCanary = names.findIndex((name) => name.startsWith('Pod agentplane-canary-floor'));
    expect(names.slice(firstCanary).filter((name) => !name.startsWith('Pod'))).toEqual([]);
    expect(names.slice(0, 3)).toEqual([
      `Pod ${ANCHOR}`,
      'Pod agentplane-canary-other',
      'NetworkPolicy agentplane-canary-floor',
    ]);
    for (const [name, owners] of owned.slice(1)) {
      expect(owners, name).toEqual([
        { apiVersion: 'v1', kind: 'Pod', name: ANCHOR, uid: 'uid-1', controller: false, blockOwnerDeletion: false },
      ]);
    }
    expect(owned[0]).toEqual([`Pod ${ANCHOR}`, []]);
  });

  it('starts more canaries behind the floor until one began in time', async () => {
    const floor = (lab: FakeLab) =>
      created(lab).filter((name) => name.startsWith('Pod agentplane-canary-floor')).length;
    const early = fakeLab();
    await early.settle(start(early));
    expect(floor(early)).toBe(3);
    const late = fakeLab();
    late.staged.firstMs = 150;
    expect(await results(late)).toMatchObject({ isolation: 'Inconclusive/StartedLate', cidr: 'Verified/Proven' });
    expect(floor(late)).toBe(9);
  });
});

describe('what cannot be had', () => {
  it('a policy that is refused: only what rests on it is open', async () => {
    const lab = fakeLab();
    lab.staged.refuse = ({ metadata }) => (metadata.name === policyOf('cidr') ? 'Forbidden' : undefined);
    expect(await results(lab)).toMatchObject({ cidr: 'Inconclusive/PolicyNotWritten', workloads: 'Verified/Proven' });
  });

  it('a policy that is stored as something else', async () => {
    const lab = fakeLab();
    lab.staged.mutate = (object) =>
      object.kind !== 'Pod' && object.metadata.name === policyOf('cidr') ? { ...object, spec: {} } : object;
    expect(await results(lab)).toMatchObject({ cidr: 'Inconclusive/PolicyNotWritten', workloads: 'Verified/Proven' });
  });

  it('a floor that is refused', async () => {
    const lab = fakeLab();
    lab.staged.refuse = ({ kind }) => (kind === 'NetworkPolicy' ? 'RejectedByAdmission' : undefined);
    expect(await results(lab)).toMatchObject({ isolation: 'Inconclusive/PolicyNotWritten' });
  });

  it('a canary that is refused', async () => {
    const lab = fakeLab();
    lab.staged.refuse = ({ kind, metadata }) =>
      kind === 'Pod' && metadata.name.endsWith('workloads') ? 'Forbidden' : undefined;
    expect(await results(lab)).toMatchObject({ workloads: 'Inconclusive/CanaryDidNotRun', cidr: 'Verified/Proven' });
    expect([...lab.objects.keys()]).toEqual([]);
  });

  it('a target that does not get ready: nothing is decided, and nobody tries', async () => {
    const lab = fakeLab();
    lab.staged.notReady = true;
    const seen = await results(lab);
    expect(seen).toMatchObject({
      isolation: 'Inconclusive/TargetNotReady',
      cidr: 'Inconclusive/TargetNotReady',
      'domain.tlsServerName': 'Unsupported/NotImplemented',
    });
    expect(created(lab).filter((name) => name.includes('control'))).toEqual([]);
    expect([...lab.objects.keys()]).toEqual([]);
  });

  it('a namespace that is not there is no result', async () => {
    const lab = fakeLab();
    lab.staged.refuse = () => 'NotFound';
    await expect(lab.settle(start(lab))).rejects.toThrow('staged');
  });
});

function anchor(phase: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: ANCHOR, namespace: 'canaries', uid: 'uid-of-another' },
    spec: { containers: [] },
    status: { phase },
  };
}

describe('the lock', () => {
  it('is waited for while another run has it', async () => {
    const lab = fakeLab();
    lab.objects.set(`Pod ${ANCHOR}`, anchor('Running'));
    const running = start(lab);
    await lab.clock.advance(60_000);
    expect(lab.calls).toEqual([]);
    lab.objects.clear();
    await lab.settle(running);
    expect(lab.calls[0]).toBe(`create Pod ${ANCHOR}`);
  });

  it('is taken from a run that has ended without giving it back', async () => {
    const lab = fakeLab();
    lab.objects.set(`Pod ${ANCHOR}`, anchor('Failed'));
    await lab.settle(start(lab));
    expect(lab.calls.slice(0, 2)).toEqual([`delete Pod ${ANCHOR}`, `create Pod ${ANCHOR}`]);
  });

  it('is not waited for for ever', async () => {
    const lab = fakeLab();
    lab.objects.set(`Pod ${ANCHOR}`, anchor('Running'));
    await expect(lab.settle(start(lab))).rejects.toThrow('staged');
  });
});

describe('a run that is interrupted', () => {
  it('takes away what it has created', async () => {
    const lab = fakeLab();
    lab.staged.notReady = true;
    const ended = new AbortController();
    const running = start(lab, ended.signal);
    await lab.clock.advance(2000);
    expect(lab.objects.size).toBeGreaterThan(2);
    ended.abort();
    await lab.settle(running).catch(() => undefined);
    expect([...lab.objects.keys()]).toEqual([]);
  });
});
