/** One attempt of a canary with what is expected of it, and what stands in its place where there is nothing to try. */
import { tcp } from './attempt.ts';
import type { Targets } from './targets.ts';

export interface Try {
  /** For a person. */
  readonly what: string;
  /** As in `attempt.ts`. */
  readonly text: string;
  readonly expect: 'Through' | 'Blocked';
  /** Supporting: it can fail the capability, but that nobody gets through does not hold it back. */
  readonly weight: 'Required' | 'Supporting';
  /** It must have been tried within the first 100 ms of the process. */
  readonly early?: true;
  /** Another attempt of the same canary by name; where both lead to one address, it tells nothing. */
  readonly apartFrom?: string;
}

/** What cannot be tried, for want of something that only the platform admin can give. */
export interface Gap {
  readonly gap: string;
}

type Aim = Pick<Try, 'what' | 'text' | 'apartFrom'>;

export function through(aim: Aim): Try {
  return { ...aim, expect: 'Through', weight: 'Required' };
}

export function blocked(aim: Aim): Try {
  return { ...aim, expect: 'Blocked', weight: 'Required' };
}

export function supporting(item: Try): Try {
  return { ...item, weight: 'Supporting' };
}

/** From its first moments. */
export function early(item: Try): Try {
  return { ...item, early: true };
}

export function gap(what: string): Gap {
  return { gap: what };
}

export function isGap(item: Try | Gap): item is Gap {
  return 'gap' in item;
}

/** The addresses outside of the cluster, one pair for each family that pods have. */
export function externalTries(scene: {
  readonly targets: Targets;
  readonly target: readonly string[];
}): readonly (Try | Gap)[] {
  const { allowed, denied } = scene.targets;
  const families = new Set(scene.target.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4')));
  return [...families].flatMap((family): (Try | Gap)[] => {
    const [open, shut] = [allowed, denied].map((list) => list.find((item) => item.family === family));
    if (open === undefined || shut === undefined) return [gap(`an allowed and a denied address of ${family}`)];
    const aim = ({ address, port }: typeof open) => ({ what: `${address}:${port}`, text: tcp(address, port) });
    return [through(aim(open)), blocked(aim(shut))];
  });
}
