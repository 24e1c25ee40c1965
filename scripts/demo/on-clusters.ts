/** The demo with nodes and packets: one policy, on a cluster that can enforce it and on one that cannot. */

import { helmAt } from '../../test/support/helm.ts';
import { installAgentPlane, installNamespace, restrictedNamespace } from '../../test/support/install.ts';
import { type Kubectl, kubectlFor } from '../../test/support/kubectl.ts';
import { clientPod } from '../../test/support/pods.ts';
import { ACCOUNT } from '../../test/support/policies.ts';
import { reserveCluster } from '../../test/support/reserve.ts';
import { ensureCluster, removeCluster } from '../clusters/cluster.ts';
import { ensureEngine } from '../clusters/engine.ts';
import type { FlavourName } from '../clusters/flavours.ts';
import { isHealthy } from '../clusters/health.ts';
import type { ImageSource } from '../clusters/image-source.ts';
import { type ClusterState, readClusterState } from '../clusters/state.ts';
import { deliverAgentPlane } from '../image/image.ts';
import { askForPod, describeAnswer, governedPod, isExpected } from './admission.ts';
import { attemptsFor, isAsExpected, triedTable, tryAll } from './attempts.ts';
import { ADDRESSES_POLICY, type DemoContext, type DemoResult, FREE, GOVERNED, NAMES_POLICY } from './demo.ts';
import { exampleFile, examplePath } from './examples.ts';
import { describeConditions, describePolicies, isReady, waitForJudgement } from './policy-status.ts';
import { heading } from './text.ts';

export interface ClusterDemoOptions {
  readonly source: ImageSource;
  /** Install an engine and build tools where that is possible. */
  readonly install: boolean;
}

const INSTALL = installNamespace('demo');
const agent = { namespace: GOVERNED, name: 'agent' };
/** Asked for beside the agent that runs. */
const newcomer = { namespace: GOVERNED, name: 'newcomer' };
const outsider = { namespace: FREE, name: 'agent' };

export async function demoOnClusters(context: DemoContext, options: ClusterDemoOptions): Promise<DemoResult> {
  const { cache, progress, say } = context;
  await reserveCluster(progress, 'cilium');
  const able = await bringUp(context, options, 'cilium');
  const enforced = await showPolicy(context, able, true);
  await reserveCluster(progress, 'cilium-no-l7');
  const known = await readClusterState(cache, 'cilium-no-l7');
  const wasUp = known !== undefined && (await isHealthy(known));
  const unable = await bringUp(context, options, 'cilium-no-l7');
  const refused = await showPolicy(context, unable, false);
  if (!wasUp) {
    const workshop = { cache, progress, engine: await ensureEngine(progress, false) };
    await progress.step(`remove ${unable.name}`, () => removeCluster(workshop, 'cilium-no-l7'));
    say(`\n${unable.name} has been removed; ${able.name} is left for you.`);
  }
  return {
    asExpected: enforced && refused,
    kubeconfigPath: able.kubeconfigPath,
    kubectlPath: able.tools.kubectl,
    next: [
      {
        command: `kubectl exec -n ${GOVERNED} ${agent.name} -- curl -sS --max-time 5 http://api.example.test/`,
        shows: 'what the agent may reach; try evil.example.test',
      },
      {
        command: `kubectl apply -n ${GOVERNED} -f ${exampleFile('names')} && kubectl get egresspolicies -n ${GOVERNED} --watch`,
        shows: 'edit the file first: the status follows the newest generation',
      },
      {
        command: `kubectl get networkpolicies,ciliumnetworkpolicies -n ${GOVERNED} -o yaml`,
        shows: 'the floor, and what the policy was compiled to',
      },
    ],
  };
}

async function bringUp(context: DemoContext, options: ClusterDemoOptions, flavour: FlavourName): Promise<ClusterState> {
  const { cache, progress, say } = context;
  const title = flavour === 'cilium' ? 'Cilium' : 'Cilium without its L7 proxy';
  say(heading(`A kind cluster with ${title}`));
  const cluster = await ensureCluster(cache, progress, flavour, options);
  const workshop = { cache, progress, engine: await ensureEngine(progress, false) };
  const kubectl = kubectlFor(cluster.tools.kubectl, cluster.kubeconfigPath);
  const helm = helmAt(cluster.tools.helm, cluster.kubeconfigPath);
  const image = await deliverAgentPlane(workshop, cluster);
  await progress.step(`install AgentPlane in ${cluster.name}`, () =>
    installAgentPlane({ kubectl, helm, image, install: 'demo', governedNamespaces: [GOVERNED] }),
  );
  say(
    `  installed with Helm: agentplane-crds, agentplane-cluster, and agentplane in namespace ${INSTALL}, which governs ${GOVERNED}; admission policies hold there`,
  );
  await progress.step(`prepare ${cluster.name}`, () => prepare(kubectl));
  return cluster;
}

/** Asks for a pod, applies the policy, asks again, and tries everything. Returns whether it all came out as it should. */
async function showPolicy(context: DemoContext, cluster: ClusterState, able: boolean): Promise<boolean> {
  const { progress, say } = context;
  const kubectl = kubectlFor(cluster.tools.kubectl, cluster.kubeconfigPath);
  await apply(context, kubectl, 'profile');
  const before = await showAnswer(context, kubectl, NO_POLICY);
  if (!able) {
    // Addresses can be enforced here, so that an agent runs when the names are asked for.
    await apply(context, kubectl, 'addresses');
    await waitForJudgement(kubectl, GOVERNED, ADDRESSES_POLICY);
    await startAgent(context, kubectl);
  }
  await apply(context, kubectl, 'names');
  const policy = await progress.step('the policy is judged', () => waitForJudgement(kubectl, GOVERNED, NAMES_POLICY));
  say(`${await describePolicies(kubectl, GOVERNED)}\n\n${await describeConditions(kubectl, GOVERNED, NAMES_POLICY)}\n`);
  const after = await showAnswer(context, kubectl, able ? 'admitted' : UNSUPPORTED);
  if (able) await startAgent(context, kubectl);
  const tried = await progress.step('try from inside the pods', () =>
    tryAll(kubectl, { governed: agent, free: outsider }, attemptsFor(cluster.targets), able),
  );
  say(triedTable(tried));
  return before && after && isReady(policy) === able && tried.every(isAsExpected);
}

const NO_POLICY = /RuntimeProfile research: generation [0-9]+ admits no pod: .*EgressPolicy/;
const UNSUPPORTED = /EgressPolicy research-egress,? generation [0-9]+ is not in force: UnsupportedProvider/;

async function apply(
  { say }: DemoContext,
  kubectl: Kubectl,
  example: 'profile' | 'names' | 'addresses',
): Promise<void> {
  say(`  kubectl apply -n ${GOVERNED} -f ${exampleFile(example)}`);
  await kubectl.run('apply', '-n', GOVERNED, '-f', examplePath(example));
}

/** What the API server answers to whoever asks for a pod of the profile. */
async function showAnswer({ say }: DemoContext, kubectl: Kubectl, expected: 'admitted' | RegExp): Promise<boolean> {
  const answer = await askForPod(kubectl, newcomer, expected);
  say(`\n  a pod of the profile is asked for:\n${describeAnswer(answer)}\n`);
  return isExpected(answer, expected);
}

async function startAgent({ progress }: DemoContext, kubectl: Kubectl): Promise<void> {
  await progress.step('start the agent', async () => {
    await askForPod(kubectl, agent, 'admitted');
    await kubectl.apply([governedPod(agent)]);
    await kubectl.run('wait', '-n', GOVERNED, '--for=condition=Ready', `pod/${agent.name}`, '--timeout=120s');
  });
}

/** As if no demo had been here before: without policies, and without the agent that they let in. */
async function prepare(kubectl: Kubectl): Promise<void> {
  await kubectl.run('delete', 'egresspolicies', '-n', GOVERNED, '--all', '--wait');
  await kubectl.run('delete', 'pod', agent.name, '-n', GOVERNED, '--ignore-not-found', '--wait');
  await kubectl.apply([restrictedNamespace(FREE)]);
  const account = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ACCOUNT, namespace },
  });
  await kubectl.apply([account(GOVERNED), account(FREE)]);
  await kubectl.apply([clientPod({ ...outsider, serviceAccountName: ACCOUNT })]);
  await kubectl.run('wait', '-n', FREE, '--for=condition=Ready', `pod/${outsider.name}`, '--timeout=120s');
}
