/**
 * Which live objects enforce what was decided. Marks on an object can be copied, and an object of ours can be changed: what it enforces, under
 * its name, is compared to the letter with what was decided for a policy, or recorded in its status. ADR 0012.
 */
import { OUTPUT_SHORT_KIND } from '../compile/names.ts';
import type { KubeObject } from '../kube/types.ts';
import type { QueueKey } from '../runtime/fair-queue.ts';
import { digestOf } from './egress-policy/outputs.ts';
import { readStatus, recordedIn } from './egress-policy/read-status.ts';

const OUTPUT_PREFIX = `ap-${OUTPUT_SHORT_KIND}-`;

export interface Decisions {
  /** Said before anything is written: a watch may show an object before the answer to its write comes. Undefined: nothing was compiled. */
  decide(policy: QueueKey, digest: string | undefined): void;
  /** Whether an object enforces to the letter what one of the policies says. Each policy has one output. */
  madeBy(policies: readonly KubeObject[]): (live: KubeObject) => boolean;
}

export function createDecisions(): Decisions {
  const decided = new Map<string, string>();
  // Objects of a cache are frozen: each is looked at once.
  const digests = new WeakMap<KubeObject, string>();
  const digestFor = (live: KubeObject): string => {
    const digest = digests.get(live) ?? digestOf([live]);
    digests.set(live, digest);
    return digest;
  };
  return {
    decide(policy, digest) {
      if (digest === undefined) decided.delete(keyOf(policy));
      else decided.set(keyOf(policy), digest);
    },
    madeBy(policies) {
      const current = new Set(policies.map(({ metadata }) => decided.get(keyOf(metadata))));
      let recorded: ReadonlySet<string | undefined> | undefined;
      return (live) => {
        if (!live.metadata.name.startsWith(OUTPUT_PREFIX)) return false;
        const digest = digestFor(live);
        if (current.has(digest)) return true;
        // After a restart, or while an older generation stays in force. Mostly no status needs to be read for this.
        recorded ??= new Set(policies.map(({ status }) => recordedIn(readStatus(status))?.specHash));
        return recorded.has(digest);
      };
    },
  };
}

function keyOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
