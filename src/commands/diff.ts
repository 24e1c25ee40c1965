/** `agentplane diff`: what applying manifests would change in what governed pods may reach. Reads the cluster, changes nothing. */
import type { Facts } from '../compile/facts.ts';
import {
  CAPABILITY_REPORTS,
  CILIUM_NETWORK_POLICIES,
  EGRESS_POLICIES,
  NETWORK_POLICIES,
  RUNTIME_PROFILES,
} from '../controllers/resources.ts';
import { type Difference, differenceOf, isDifferent } from '../difference/difference.ts';
import { type Live, siteOf } from '../difference/live.ts';
import { renderDifference, renderDifferenceJson } from '../difference/render.ts';
import type { Sorted } from '../explain/input.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { type Cluster, clusterFlags, withCluster } from './cluster.ts';
import { type Command, EXIT_FOUND } from './command.ts';
import { factsFlags, givenFacts, liveFacts } from './facts.ts';
import type { FlagValues } from './flags.ts';
import { sortedInput } from './input.ts';
import type { Io } from './io.ts';
import { fileFlag, limitFlags, limitsOf, namespaceFlag, outputFlag } from './shared-flags.ts';

const FORMATS = ['text', 'json'] as const;

export const diffCommand: Command = {
  flags: [
    fileFlag,
    namespaceFlag('the namespace of objects that name none; else that of the context'),
    ...clusterFlags,
    {
      name: 'install-namespace',
      value: 'NAME',
      description: 'where the CapabilityReport is; else it is looked for in all namespaces',
      default: '',
    },
    ...factsFlags,
    ...limitFlags,
    outputFlag(FORMATS),
  ],
  details: [
    'What opens is marked with +, what closes with -. Only policies of the namespace are looked at: what a cluster-wide policy of',
    'the provider opens or denies is not known here.',
    '',
    'Exit code: 0 when nothing would change, 2 when something would change or be refused, 1 when that cannot be told.',
    '',
    'Example: agentplane diff -f policies --namespace team-a',
  ].join('\n'),
  run,
};

async function run(flags: FlagValues, io: Io): Promise<number> {
  const format = flags.oneOf('output', FORMATS);
  const limits = limitsOf(flags);
  const differences = await withCluster(flags, async (cluster) => {
    const namespace = flags.given('namespace') ? flags.text('namespace') : cluster.namespace;
    const sorted = await sortedInput(flags.all('filename'), namespace, io);
    const facts = (await givenFacts(flags, io)) ?? (await factsOfCluster(flags, cluster, io));
    return Promise.all(
      namespacesOf(sorted).map(async (name) => {
        const live = await readLive(cluster, name);
        return differenceOf(inNamespace(sorted, name), live, siteOf(live, { facts, limits, now: io.now() }));
      }),
    );
  });
  io.print(render(differences, format, io));
  return differences.some(isDifferent) ? EXIT_FOUND : 0;
}

async function factsOfCluster(flags: FlagValues, cluster: Cluster, io: Io): Promise<Facts> {
  const namespace = flags.given('install-namespace') ? flags.text('install-namespace') : undefined;
  const reports = await cluster.list(CAPABILITY_REPORTS, { namespace });
  return liveFacts(reports, io);
}

async function readLive(cluster: Cluster, namespace: string): Promise<Live> {
  const [profiles, policies, networkPolicies, ciliumPolicies = []] = await Promise.all([
    cluster.list(RUNTIME_PROFILES, { namespace }),
    cluster.list(EGRESS_POLICIES, { namespace }),
    cluster.list(NETWORK_POLICIES, { namespace }),
    cluster.listIfServed(CILIUM_NETWORK_POLICIES, { namespace }),
  ]);
  return { namespace, profiles, policies, outputs: [...networkPolicies, ...ciliumPolicies] };
}

function namespacesOf({ profiles, policies }: Sorted): readonly string[] {
  return [...new Set([...profiles, ...policies].map(({ object }) => object.metadata.namespace ?? ''))].sort();
}

function inNamespace({ profiles, policies }: Sorted, namespace: string) {
  const here = (manifests: readonly Manifest[]) =>
    manifests.filter(({ object }) => object.metadata.namespace === namespace);
  return { profiles: here(profiles), policies: here(policies) };
}

function render(differences: readonly Difference[], format: (typeof FORMATS)[number], io: Io): string {
  if (format === 'json') return renderDifferenceJson(differences);
  const paint = { title: io.paint('bold'), opens: io.paint('green'), closes: io.paint('red') };
  return renderDifference(differences, paint);
}
