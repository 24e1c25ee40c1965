// The import rules that keep the architecture of AGENTS.md true. Checked by `npm run verify`.
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'api-imports-only-zod',
      comment: 'src/api is the contract. It must stay importable by any consumer without a cluster client.',
      severity: 'error',
      from: { path: '^src/api/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^src/api/', '^node_modules/zod/'] },
    },
    {
      name: 'compile-is-pure',
      comment: 'Compilation is pure and total: no client, no queue, no controller, no I/O.',
      severity: 'error',
      from: { path: '^src/compile/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^src/compile/', '^src/api/', '^node_modules/(ipaddr\\.js|tldts|tldts-core)/', '^crypto$'] },
    },
    {
      name: 'the-evaluator-is-independent',
      comment:
        'src/effective judges what the emitters write: it may share nothing with them, or one mistake could hide in both.',
      severity: 'error',
      from: { path: '^src/effective/', pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { pathNot: ['^src/effective/', '^node_modules/ipaddr\\.js/'] },
    },
    {
      name: 'the-canary-is-small',
      comment:
        'A canary has to try something within its first 100 ms: what it does not need would have to be read. ADR 0014.',
      severity: 'error',
      from: { path: '^src/canary/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(src|node_modules)/', pathNot: '^src/(canary/|probe/(attempt|observation)\\.ts$)' },
    },
    {
      name: 'kube-and-runtime-know-no-domain',
      comment: 'src/kube and src/runtime hold no AgentPlane words: they would serve any operator.',
      severity: 'error',
      from: { path: '^src/(kube|runtime)/' },
      to: { path: '^src/(api|compile|controllers|inventory|cli)/' },
    },
    {
      name: 'kube-does-not-import-runtime',
      severity: 'error',
      from: { path: '^src/kube/' },
      to: { path: '^src/runtime/' },
    },
    {
      name: 'client-node-only-in-kube',
      comment: 'The upstream client opens a connection per request and its informer can stop for good: ADR 0003.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kube/' },
      to: { path: '^node_modules/@kubernetes/client-node', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'constructs-do-not-reach-the-cluster',
      severity: 'error',
      from: { path: '^constructs/' },
      to: { path: '^src/(kube|runtime|controllers|inventory)/' },
    },
    {
      name: 'product-does-not-import-tests-or-scripts',
      severity: 'error',
      from: { path: '^(src|constructs)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'commands-run-without-the-test-runner',
      comment:
        'The demo and the cluster commands share helpers with tests. Vitest throws when it is asked for something outside of itself.',
      severity: 'error',
      from: { path: '^scripts/(clusters|demo|image|release|synth|targets)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^node_modules/vitest/', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
