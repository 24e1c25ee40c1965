import { describe, expect, it } from 'vitest';
import { tryRun } from '../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';

describe('charts/ and rbac/', () => {
  it('are what the constructs give', async () => {
    const result = await tryRun(process.execPath, ['scripts/synth/main.ts', '--check'], { cwd: REPOSITORY });
    expect(result.code, result.stderr).toBe(0);
  });
});
