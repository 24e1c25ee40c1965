/** The demo without nodes: a real API server, real CRDs, Roles and statuses, and a network provider that is only staged. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Kubectl, kubectlFor } from '../../test/support/kubectl.ts';
import { ACCOUNT, conditionOf } from '../../test/support/policies.ts';
import { type CiliumStage, stageCilium, unstageCilium } from '../../test/support/staged-cilium.ts';
import { applyCharts, installCiliumCrd } from '../../test/support/without-nodes.ts';
import { BINARY_GROUPS, ensureBinaries } from '../clusters/binaries.ts';
import type { Cache } from '../clusters/cache.ts';
import { attachEmbedded, type EmbeddedControlPlane, startEmbedded } from '../clusters/embedded/control-plane.ts';
import { waitFor } from '../lib/wait-for.ts';
import { askForPod, describeAnswer, isExpected } from './admission.ts';
import { ADDRESSES_POLICY, type DemoContext, type DemoResult, GOVERNED, NAMES_POLICY } from './demo.ts';
import { exampleFile, examplePath } from './examples.ts';
import { startLocal, stopLocal } from './local-processes.ts';
import { describeConditions, describePolicies, waitForJudgement } from './policy-status.ts';
import { heading, quoted } from './text.ts';

const INSTALL = 'agentplane';
/** The processes may be tried for a week. */
const TOKEN_SECONDS = 7 * 24 * 3600;

interface Act {
  readonly title: string;
  readonly stage: CiliumStage | undefined;
  /** Of the capability domain.exact in the report, once the inventory has seen the stage. */
  readonly domains: string;
  /** Reasons of Ready. */
  readonly names: string;
  readonly addresses: string;
  /** What becomes of a pod of the profile, of which both policies are. */
  readonly pod: 'admitted' | RegExp;
}

const NAMES_UNSUPPORTED = /EgressPolicy research-egress,? generation 1 is not in force: UnsupportedProvider/;
const UNSUPPORTED = /EgressPolicy research-[a-z]+,? generation 1 is not in force: UnsupportedProvider/;
const NO_POLICY = /RuntimeProfile research: generation 1 admits no pod: .*EgressPolicy/;

const ACTS: readonly Act[] = [
  { title: 'Cilium', stage: {}, domains: 'Declared', names: 'Ready', addresses: 'Ready', pod: 'admitted' },
  {
    title: 'Cilium without its L7 proxy: it cannot do anything with names',
    stage: { config: { 'enable-l7-proxy': 'false' } },
    domains: 'L7ProxyDisabled',
    names: 'UnsupportedProvider',
    addresses: 'Ready',
    pod: NAMES_UNSUPPORTED,
  },
  {
    title: 'A network that enforces nothing',
    stage: undefined,
    domains: 'NoEnforcingProvider',
    names: 'UnsupportedProvider',
    addresses: 'UnsupportedProvider',
    pod: UNSUPPORTED,
  },
];

export async function demoEmbedded(context: DemoContext): Promise<DemoResult> {
  const { cache, progress, say } = context;
  await removeEmbeddedDemo(cache);
  const binaries = await ensureBinaries(cache, BINARY_GROUPS.embedded, progress);
  say(heading('A control plane without nodes'));
  const folder = controlPlaneFolder(cache);
  const controlPlane = await progress.step('start the control plane', () =>
    startEmbedded({ folder, binaries, lifetime: 'detached' }),
  );
  const kubectl = kubectlFor(binaries.kubectl, controlPlane.kubeconfigPath);
  await progress.step('install AgentPlane', () => install(cache, controlPlane, kubectl));
  say(
    `  applied: the CRDs, Roles and floor of the charts; operator and inventory run as local processes with those Roles`,
  );
  let asExpected = true;
  for (const act of ACTS) asExpected = (await play(context, kubectl, act)) && asExpected;
  const [first] = ACTS;
  if (first !== undefined) await setStage(kubectl, first);
  const l7 = `'{"data":{"enable-l7-proxy":"false"}}'`;
  return {
    asExpected,
    kubeconfigPath: controlPlane.kubeconfigPath,
    kubectlPath: binaries.kubectl,
    next: [
      {
        command: `kubectl apply -n ${GOVERNED} -f ${exampleFile('names')} && kubectl get egresspolicies -n ${GOVERNED}`,
        shows: 'edit the file first: the status follows the newest generation',
      },
      {
        command: `kubectl get networkpolicies,ciliumnetworkpolicies -n ${GOVERNED} -o yaml`,
        shows: 'the floor, and what the policies were compiled to',
      },
      {
        command: `kubectl patch configmap -n kube-system cilium-config --type=merge -p ${l7}`,
        shows: 'takes the L7 proxy away: what was Ready says ProviderLost within seconds',
      },
    ],
  };
}

/** Ends the processes and removes their data. What is not there is no error. */
export async function removeEmbeddedDemo(cache: Cache): Promise<void> {
  await stopLocal(processFolder(cache), 'operator');
  await stopLocal(processFolder(cache), 'inventory');
  const controlPlane = await attachEmbedded(controlPlaneFolder(cache)).catch(() => undefined);
  await controlPlane?.stop();
  await rm(path.dirname(controlPlaneFolder(cache)), { recursive: true, force: true });
}

function controlPlaneFolder(cache: Cache): string {
  return path.join(cache.root, 'demo', 'control-plane');
}

function processFolder(cache: Cache): string {
  return path.join(cache.root, 'demo', 'processes');
}

async function install(cache: Cache, controlPlane: EmbeddedControlPlane, kubectl: Kubectl): Promise<void> {
  await applyCharts(kubectl, {
    installNamespace: INSTALL,
    governedNamespaces: [GOVERNED],
    admission: { namespaces: [GOVERNED] },
  });
  await kubectl.apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: GOVERNED } }]);
  await installCiliumCrd({ kubectl, controlPlane });
  const folder = processFolder(cache);
  const start = async (command: 'operator' | 'inventory', flags: readonly string[]) => {
    const account = { kind: 'ServiceAccount', namespace: INSTALL, name: `agentplane-${command}` } as const;
    const kubeconfigPath = await controlPlane.kubeconfigFor(account, TOKEN_SECONDS);
    await startLocal(folder, { command, flags: ['--install-namespace', INSTALL, ...flags], kubeconfigPath });
  };
  await start('inventory', ['--interval-seconds', '2']);
  await start('operator', ['--namespaces', GOVERNED, '--identity', 'demo', '--admission', 'true']);
}

/** Shows both policies on one provider. Returns whether they came out as they should. */
async function play({ progress, say }: DemoContext, kubectl: Kubectl, act: Act): Promise<boolean> {
  say(heading(act.title));
  const policies = [NAMES_POLICY, ADDRESSES_POLICY] as const;
  await progress.step(`stage: ${act.title}`, async () => {
    await kubectl.run('delete', 'egresspolicies', '-n', GOVERNED, '--all', '--wait');
    await waitForFloorOnly(kubectl);
    await setStage(kubectl, act);
  });
  const apply = async (example: 'profile' | 'names' | 'addresses') => {
    say(`  kubectl apply -n ${GOVERNED} -f ${exampleFile(example)}`);
    await kubectl.run('apply', '-n', GOVERNED, '-f', examplePath(example));
  };
  await apply('profile');
  const before = await showAnswer(say, kubectl, NO_POLICY);
  await apply('names');
  await apply('addresses');
  const judged = await Promise.all(policies.map((name) => waitForJudgement(kubectl, GOVERNED, name)));
  say(`\n${await describePolicies(kubectl, GOVERNED)}`);
  say(`\n${await describeConditions(kubectl, GOVERNED, NAMES_POLICY)}\n`);
  say(quoted(await kubectl.run('get', 'networkpolicies,ciliumnetworkpolicies', '-n', GOVERNED, '-o', 'name')));
  const reasons = judged.map((policy) => conditionOf(policy, 'Ready')?.reason);
  const after = await showAnswer(say, kubectl, act.pod);
  return before && after && reasons[0] === act.names && reasons[1] === act.addresses;
}

/** What the API server answers to whoever asks for a pod of the profile. It is not made: there is no node to run it. */
async function showAnswer(say: DemoContext['say'], kubectl: Kubectl, expected: 'admitted' | RegExp): Promise<boolean> {
  const answer = await askForPod(kubectl, { namespace: GOVERNED, name: 'agent' }, expected);
  say(`\n  a pod of the profile is asked for:\n${describeAnswer(answer)}\n`);
  return isExpected(answer, expected);
}

async function setStage(kubectl: Kubectl, { stage, domains }: Act): Promise<void> {
  await (stage === undefined ? unstageCilium(kubectl) : stageCilium(kubectl, stage));
  await waitFor('the inventory to see it', { timeoutMs: 30_000 }, async () => {
    const jsonpath = 'jsonpath={.status.capabilities[?(@.name=="domain.exact")].reason}';
    const seen = await kubectl.run('get', 'capabilityreport', '-n', INSTALL, 'cluster', '-o', jsonpath);
    return seen === domains ? { done: true, value: undefined } : { done: false, saw: seen };
  });
}

/** What deleted policies leave goes by garbage collection. */
async function waitForFloorOnly(kubectl: Kubectl): Promise<void> {
  await waitFor('the outputs of earlier policies to go', { timeoutMs: 60_000 }, async () => {
    const names = await kubectl.run('get', 'networkpolicies,ciliumnetworkpolicies', '-n', GOVERNED, '-o', 'name');
    const left = names.trim().split('\n');
    return left.length === 1 ? { done: true, value: undefined } : { done: false, saw: left.join(', ') };
  });
}
