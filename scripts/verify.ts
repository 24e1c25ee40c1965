/** `npm run verify`: everything that can be judged without running the product. Reports every failure, not only the first. */
import { tryRun } from './lib/exec.ts';
import { REPOSITORY } from './lib/repository.ts';

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly wayOut: string;
}

const CHECKS: readonly Check[] = [
  { name: 'format and lint', command: ['biome', 'check', '--error-on-warnings'], wayOut: 'npx biome check --write' },
  { name: 'type-aware lint', command: ['oxlint', '--type-aware'], wayOut: 'mend what it names' },
  { name: 'types', command: ['tsc', '--project', '.'], wayOut: 'mend what it names' },
  {
    name: 'import rules',
    command: ['depcruise', '--config', '.dependency-cruiser.mjs', 'src', 'constructs', 'scripts', 'rbac', 'test'],
    wayOut: 'see the comments in .dependency-cruiser.mjs',
  },
  {
    name: 'crds/ is up to date',
    command: [process.execPath, 'scripts/crds.ts', '--check'],
    wayOut: 'npm run generate',
  },
  {
    name: 'charts/, rbac/ and docs/gitops/ are up to date',
    command: [process.execPath, 'scripts/synth/main.ts', '--check'],
    wayOut: 'npm run generate',
  },
];

const results = await Promise.all(
  CHECKS.map(async ({ command: [command, ...args], ...check }) => ({
    ...check,
    ...(await tryRun(command, args, { cwd: REPOSITORY })),
  })),
);
for (const { name, code, stdout, stderr, wayOut } of results) {
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (code !== 0) console.log(`${stdout}${stderr}\n  way out: ${wayOut}\n`);
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
