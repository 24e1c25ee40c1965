/** What CHANGELOG.md says of a version. Pure. */
import { ScriptError } from './errors.ts';

/** Of artifacthub.io/changes. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const;

export interface ChangelogEntry {
  /** One of Artifact Hub's: added, changed, deprecated, removed, fixed, security. */
  readonly kind: string;
  readonly description: string;
}

export interface ChangelogSection {
  /** As it is written. */
  readonly text: string;
  readonly entries: readonly ChangelogEntry[];
}

/** Throws a `ScriptError` when there is no section of the version, or nothing in it. */
export function changelogOf(changelog: string, version: string): ChangelogSection {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => new RegExp(`^${version.replaceAll('.', '\\.')}(\\s|$)`).test(section));
  if (found === undefined) {
    throw new ScriptError(
      'BadUsage',
      `CHANGELOG.md has no section "## ${version}": write what changed before it is released`,
    );
  }
  const text = found.slice(found.indexOf('\n') + 1).trim();
  const entries = KINDS.flatMap((kind) =>
    itemsUnder(text, kind).map((description) => ({ kind: kind.toLowerCase(), description })),
  );
  if (entries.length === 0) {
    throw new ScriptError('BadUsage', `CHANGELOG.md, ${version}: there is no item under one of ${KINDS.join(', ')}`);
  }
  return { text, entries };
}

/** Items of a list, each of which may go on over several lines. */
function itemsUnder(text: string, kind: string): readonly string[] {
  const part = text.split(/^### /m).find((each) => each.startsWith(`${kind}\n`));
  if (part === undefined) return [];
  const items = part.split(/^- /m).slice(1);
  return items.map((item) => item.replaceAll(/\s+/g, ' ').trim());
}
