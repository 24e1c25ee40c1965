import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { parseAttempt } from './attempt.ts';
import { encodeObservation } from './observation.ts';
import { addressesOf, canaryRun, hasEnded, isReady } from './pod-status.ts';
import { canaryPod, targetPod } from './pods.ts';
import { podsOf, SUBJECTS } from './subjects.ts';
import { runSettings } from './testing-lab.ts';

const settings = { ...runSettings.pods, pullSecrets: ['registry'], nodeSelector: { pool: 'agents' } };
const canary = (subject: (typeof SUBJECTS)[number]) =>
  canaryPod({ name: podsOf(subject)[0] ?? '', subject, settings, owners: [] }, ['tcp://10.0.0.1:80']);
const all: readonly (readonly [string, KubeObject])[] = [
  ['target', targetPod('target', settings, [])],
  ['other', targetPod('other', settings, [])],
  ...SUBJECTS.slice(2).map((subject) => [subject, canary(subject)] as const),
];

interface Spec {
  readonly serviceAccountName: string;
  readonly containers: readonly { readonly args: readonly string[] }[];
}

describe.each(all)('the pod %s', (subject, pod) => {
  it('keeps to Pod Security "restricted", has no token, runs once, and ends by itself', () => {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      activeDeadlineSeconds: expect.any(Number),
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'agents' },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    });
    for (const field of ['volumes', 'hostNetwork', 'hostPID', 'hostIPC']) expect(pod.spec).not.toHaveProperty(field);
  });

  it('has an account and labels of its own', () => {
    expect((pod.spec as Spec).serviceAccountName).toBe(`agentplane-canary-${subject}`);
    const governed = !['target', 'other', 'control'].includes(subject);
    expect(pod.metadata.labels).toEqual({
      'agentplane.dev/canary': subject,
      ...(governed ? { 'agentplane.dev/profile': `canary-${subject}` } : {}),
    });
  });
});

describe('what they are told', () => {
  const argsOf = (pod: KubeObject) => (pod.spec as Spec).containers[0]?.args ?? [];

  it('is to try from the first moment behind the floor, and to try for longer elsewhere', () => {
    expect(argsOf(canary('floor'))).toEqual(['--window-ms', '3000', '--burst', '--try', 'tcp://10.0.0.1:80']);
    expect(argsOf(canary('cidr'))).toEqual(['--window-ms', '8000', '--try', 'tcp://10.0.0.1:80']);
    expect(argsOf(canary('cidr')).filter((arg) => parseAttempt(arg) !== undefined)).toHaveLength(1);
  });

  it('is to answer at every port that is tried', () => {
    expect(argsOf(targetPod('target', settings, []))).toEqual([
      '--listen',
      '8080,8081,8082,8083,8084,8085',
      '--dns',
      '53',
      '--word',
      'target',
    ]);
  });
});

describe('the status of a pod', () => {
  const pod = (status: object, spec: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec,
    status,
  });
  const seen = [{ outcome: 'silent' as const, atMs: 1, tries: 1, addresses: [] }];
  const message = encodeObservation({ firstMs: 30, families: ['IPv4'], seen });
  const terminated = (text: string) => ({
    containerStatuses: [{ state: { terminated: { message: text, exitCode: 1, reason: 'Error' } } }],
  });

  it('holds what the canary saw', () => {
    expect(canaryRun(pod(terminated(message), { nodeName: 'n' }), ['a'])).toEqual({
      attempts: ['a'],
      node: 'n',
      observation: { firstMs: 30, families: ['IPv4'], seen },
    });
  });

  it.each([
    [{}, 'unknown'],
    [{ phase: 'Pending' }, 'Pending'],
    [{ phase: 'Failed', reason: 'DeadlineExceeded' }, 'DeadlineExceeded'],
    [{ containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }, 'ImagePullBackOff'],
    [{ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes' }] }, '0/1 nodes'],
    [terminated('boom\u001b[31m'), 'ended with 1 (Error): boom\\u{1b}[31m'],
    [terminated(message.replace('"v":1', '"v":2')), 'ended with 1'],
  ])('or why it has none: %j', (status, problem) => {
    const run = canaryRun(pod(status), ['a']);
    expect(run.observation).toBeUndefined();
    expect(run.problem).toContain(problem);
  });

  it('says what has ended, what is ready and where it is', () => {
    expect(hasEnded(pod({ phase: 'Succeeded' })) && hasEnded(pod({ phase: 'Failed' }))).toBe(true);
    expect(hasEnded(pod({ phase: 'Running' })) || hasEnded(pod({}))).toBe(false);
    expect(isReady(pod({ conditions: [{ type: 'Ready', status: 'True' }] }))).toBe(true);
    expect(isReady(pod({ conditions: [{ type: 'Ready', status: 'False' }] })) || isReady(pod({}))).toBe(false);
    expect(addressesOf(pod({ podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] }))).toEqual(['10.0.0.1', 'fd00::1']);
    expect(addressesOf(pod({}))).toEqual([]);
  });
});
