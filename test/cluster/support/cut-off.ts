/** Takes the targets away from one cluster, while the clusters of other flavours go on using them. */
import { run } from '../../../scripts/lib/exec.ts';
import type { TestCluster } from '../../support/cluster.ts';

/** While `work` runs, the node drops without a word what is sent to any target on its network, as a firewall beyond the cluster would. */
export async function withoutTargets(
  { node, workshop, targets }: TestCluster,
  work: () => Promise<void>,
): Promise<void> {
  const { metadata: _elsewhere, ...here } = targets.addresses;
  const route = (action: 'add' | 'del', address: string) =>
    run(workshop.engine.command, ['exec', node, 'ip', 'route', action, 'blackhole', `${address}/32`]);
  const added: string[] = [];
  try {
    for (const address of Object.values(here)) {
      await route('add', address);
      added.push(address);
    }
    await work();
  } finally {
    await Promise.all(added.map((address) => route('del', address)));
  }
}
