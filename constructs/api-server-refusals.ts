import { Construct } from 'constructs';
import { type Expr, text } from './expr/expr.ts';
import { any, contains, equals } from './expr/operators.ts';
import { ForEach } from './structure/for-each.ts';
import { Refusal } from './structure/refusal.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

interface Refused {
  readonly id: string;
  readonly starts?: readonly string[];
  readonly is?: readonly string[];
  /** Goes on after the address. */
  readonly why: string;
}

/**
 * What is listed counts as the API server in every governed namespace, so that a policy could open by it what it may not open as a block.
 * This is for whoever installs; compilation decides (`addressProblem` in src/compile/cidr.ts), and what passes here passes there: an
 * address has several spellings, but what it begins with has one (`serverAddress` in values/formats.ts).
 */
const refused: readonly Refused[] = [
  { id: 'link-local', starts: ['169.254.'], why: 'is a link-local address, which no policy may open' },
  { id: 'loopback', starts: ['127.'], why: 'is a loopback address, which no policy may open' },
  {
    id: 'cloud',
    starts: ['fd00:ec2:', 'fd20:ce:', 'fd00:c1:', 'fd00:42:'],
    is: ['100.100.100.200', '168.63.129.16'],
    why: 'is in a range from which clouds serve metadata or identities',
  },
  { id: 'tunnel', starts: ['2002:'], why: 'leads to an address of IPv4 by 6to4: list that one' },
];

/** What may not be listed as an address of the API server. */
export class ApiServerRefusals extends Construct {
  constructor(scope: Construct, id: string, { apiServer }: AgentplaneRefs) {
    super(scope, id);
    const loop = new ForEach(this, 'each', { list: apiServer.addresses, variable: '$address' });
    const address = loop.item;
    for (const { id: name, starts = [], is = [], why } of refused) {
      new Refusal(loop, name, {
        condition: any(
          ...starts.map((start) => startsWith(address, start)),
          ...is.map((text) => equals(address, text)),
        ),
        message: messageFor(address, why),
      });
    }
  }
}

function messageFor(address: Expr<string>, why: string): string {
  return `apiServer.addresses: "${address}" ${why}. List where the API server answers, or nothing.`;
}

/** No address holds a comma. */
function startsWith(address: Expr<string>, start: string): Expr<boolean> {
  return contains(text(`,${address}`), `,${start}`);
}
