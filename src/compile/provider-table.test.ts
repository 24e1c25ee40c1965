/** The table of providers in docs/egress.md is that of the rows. A line that differs is printed as it has to be. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isRefused, type ProviderRow } from './providers/row.ts';
import { PROVIDERS } from './providers.ts';

const lines = readFileSync(new URL('../../docs/egress.md', import.meta.url), 'utf8').split('\n');

const code = (text: string) => `\`${text}\``;
const list = (items: readonly string[]) => [...new Set(items)].map(code).join(', ');

function lineOf(row: ProviderRow): string {
  const cells = [
    `${row.title}: ${code(row.name)}`,
    recognition(row),
    wildcards(row),
    row.composition,
    list(row.switches.filter(({ removes }) => removes === 'all').map(({ key }) => key)),
    isRefused(row)
      ? `refused; would take ${row.needed}`
      : `compiled to ${row.api.kind}${oldest(row.versions?.minimum)}`,
  ];
  return `| ${cells.map((cell) => (cell === '' ? '-' : cell)).join(' | ')} |`;
}

function recognition({ daemonSets, toldApartBy, api }: ProviderRow): string {
  const beside = typeof toldApartBy === 'object' ? ` beside ${code(toldApartBy.daemonSet)}` : '';
  const agents = daemonSets.length === 0 ? [] : [`DaemonSet ${list(daemonSets)}${beside}`];
  return [
    ...agents,
    `${api.group}/${api.version} ${api.kind} with ${code(api.field.join('.').replaceAll('.[]', '[]'))}`,
  ].join('; ');
}

/** What `*.` before a suffix can mean there. */
function wildcards({ supports }: ProviderRow): string {
  const has = (wanted: string) => supports.some(({ capability }) => capability === wanted);
  if (!has('domain.exact')) return 'no names';
  const depths = [has('domain.oneLabel') ? 'one label' : '', has('domain.anyDepth') ? 'any depth' : ''];
  return depths.filter((depth) => depth !== '').join(' or ');
}

function oldest(version: string | undefined): string {
  return version === undefined ? '' : `, from ${version}`;
}

describe('docs/egress.md', () => {
  it.each(PROVIDERS.map((row) => [row.name, lineOf(row)]))('has the row of %s', (_, line) => {
    expect(lines).toContain(line);
  });
});
