import { defineConfig } from 'vitest/config';
import { LongFirst } from './scripts/test/long-first.ts';

/** One project per test level: see docs/testing.md for what each one needs and proves. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'constructs/**/*.test.ts', 'scripts/**/*.test.ts'],
          // It runs at a low priority beside what has to wait: see STAGES in scripts/test/levels.ts. What a test may cost is counted in processor time.
          testTimeout: 60_000,
          // No test changes a module, and reading them all anew for each file took longer than the tests.
          isolate: false,
        },
      },
      {
        test: {
          name: 'api',
          include: ['test/api/**/*.test.ts'],
          globalSetup: 'test/api/setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // A control plane each. Most of the time a file waits for what it has asked for.
          maxWorkers: 3,
          // As for unit.
          isolate: false,
        },
      },
      {
        test: {
          name: 'timing',
          include: ['test/timing/**/*.test.ts'],
          globalSetup: 'test/api/setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'rights',
          include: ['test/rights/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'chart',
          include: ['test/chart/**/*.test.ts'],
          globalSetup: 'test/chart/setup.ts',
          testTimeout: 120_000,
          hookTimeout: 300_000,
          isolate: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: 'test/cluster/setup.ts',
          testTimeout: 180_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'flavours',
          include: ['test/flavours/**/*.test.ts'],
          globalSetup: 'test/flavours/setup.ts',
          testTimeout: 180_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
