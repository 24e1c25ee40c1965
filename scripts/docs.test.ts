/** The documents lead where they say: links, headings, and the files that they name. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './lib/repository.ts';

const FOLDERS = ['.', 'docs', 'rbac', 'charts', 'tools'];
const documents = await markdownFiles();

async function markdownFiles(): Promise<readonly string[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(path.join(REPOSITORY, folder), { recursive: folder !== '.' });
      return names.filter((name) => name.endsWith('.md')).map((name) => path.join(folder, name));
    }),
  );
  return found.flat().sort();
}

const textOf = (file: string) => readFile(path.join(REPOSITORY, file), 'utf8');

/** As code hosts make them of a heading. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What stands in code blocks leads nowhere. */
const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

async function deadLinks(file: string): Promise<readonly string[]> {
  const links = [...withoutBlocks(await textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead: string[] = [];
  for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) {
    const [target = '', anchor] = link.split('#', 2);
    const to = target === '' ? file : path.join(path.dirname(file), target);
    if (!existsSync(path.join(REPOSITORY, to))) dead.push(link);
    else if (anchor !== undefined && !anchorsOf(await textOf(to)).includes(anchor)) dead.push(link);
  }
  return dead;
}

/** Files that are named in the text, such as `test/api/refusal.test.ts`. A name with a placeholder is none. */
function missingFiles(text: string): readonly string[] {
  const named = [
    ...withoutBlocks(text).matchAll(/`((?:src|test|constructs|scripts|rbac|docs|examples|tools)\/[\w./-]+)`/g),
  ];
  return named.map(([, name = '']) => name).filter((name) => !existsSync(path.join(REPOSITORY, name)));
}

test('there are documents', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'AGENTS.md', 'docs/security/review.md', 'rbac/ACCESS.md']),
  );
});

test.each(documents)('%s: every link leads somewhere', async (file) => {
  expect(await deadLinks(file)).toEqual([]);
});

test.each(documents)('%s: every file that it names exists', async (file) => {
  expect(missingFiles(await textOf(file))).toEqual([]);
});
