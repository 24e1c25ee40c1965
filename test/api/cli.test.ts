/** `status` and `diff` against a real API server, by the rights of whoever asks. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../scripts/lib/exec.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { buildCli, type Cli } from '../support/cli.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { ACCOUNT, cidrRule, domainRule, policy, profile, resolver } from '../support/policies.ts';
import { type GovernedSite, startGovernedSite } from './support/governed-site.ts';

const namespace = 'cli';
let site: GovernedSite;
let cli: Cli;

beforeAll(async () => {
  [site, cli] = await Promise.all([startGovernedSite(namespace), buildCli()]);
  await site.applyPolicy('works', { dns: resolver, allow: [domainRule, cidrRule] });
  await site.ready('works');
  await site.applyPolicy('refused', { allow: [{ ...cidrRule, to: [{ cidr: { block: '203.0.113.1/24' } }] }] });
  await site.reason('refused', 'InvalidPolicy');
});

afterAll(async () => {
  await cli.remove();
  await site.stop();
});

function run(...args: readonly string[]): Promise<RunResult> {
  return cli.run([...args, '--kubeconfig', site.kubectl.kubeconfigPath]);
}

/** What would change when the policy is applied as given. */
async function diff(name: string, spec: Readonly<Record<string, unknown>>): Promise<RunResult> {
  await writeFile(path.join(cli.folder, `${name}.json`), JSON.stringify(policy(namespace, name, spec)));
  return run('diff', '-f', `${name}.json`);
}

describe('status', () => {
  it('tells what is in force from what is not', async () => {
    const { code, stdout, stderr } = await run('status', '-n', namespace);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^cli +works +research +yes +1 +1 +1 +True +Ready$/m);
    expect(stdout).toMatch(/^cli +refused +research +no +1 +1 +- +False +InvalidPolicy +rule corp, destination 0: /m);
  });

  it('gives the same as JSON, for every namespace', async () => {
    const { stdout } = await run('status', '-A', '-o', 'json');
    const { policies } = JSON.parse(stdout) as { policies: { namespace: string; name: string; active: boolean }[] };
    const ours = policies.filter((item) => item.namespace === namespace).map(({ name, active }) => [name, active]);
    expect(Object.fromEntries(ours)).toEqual({ works: true, refused: false });
  });

  it('says that there is nothing', async () => {
    expect(await run('status', '-n', 'default')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'there is no EgressPolicy in namespace default\n',
    });
  });

  it.each(['status', 'diff'])('%s says which right is missing', async (command) => {
    const nobody = await site.controlPlane.kubeconfigFor({ kind: 'ServiceAccount', namespace, name: 'default' });
    await writeFile(path.join(cli.folder, 'any.json'), JSON.stringify(policy(namespace, 'any', {})));
    const files = command === 'diff' ? ['-f', 'any.json', '--provider', 'cilium'] : ['-n', namespace];
    const { code, stdout, stderr } = await cli.run([command, ...files, '--kubeconfig', nobody]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    // Several are: which one is told depends on the answer that comes first.
    expect(stderr).toMatch(/you may not list \w+\.[\w.]+ in namespace cli: ask for the verb "list" on it/);
  });

  it('names the contexts that there are', async () => {
    const { code, stderr } = await run('status', '--context', 'nope');
    expect(code).toBe(1);
    expect(stderr).toContain('the kubeconfig has no context "nope": choose one of ');
  });
});

describe('diff', () => {
  it('of what is applied already is empty', async () => {
    const { code, stdout, stderr } = await diff('works', { dns: resolver, allow: [domainRule, cidrRule] });
    expect(stderr).toMatch(/^judged by the capability report of /);
    expect(stdout).toContain(`ServiceAccount cli/${ACCOUNT}: may reach what it may reach now`);
    expect(code).toBe(0);
  });

  it('says what opens and what closes, and that is what happens', async () => {
    const narrower = { ...cidrRule, to: [{ cidr: { block: '203.0.113.0/25' } }] };
    const wider = { name: 'new', to: [{ domain: { name: 'other.example.com' } }], ports: [{ port: 8443 }] };
    const spec = { dns: resolver, allow: [narrower, wider] };
    const { code, stdout } = await diff('works', spec);
    expect(code).toBe(2);
    const [opens, closes] = ['+', '-'].map((sign) =>
      stdout.split('\n').filter((line) => line.startsWith(`  ${sign} `)),
    );
    expect(opens?.join()).toContain('other.example.com on TCP 8443');
    expect(opens?.join()).not.toContain('203.0.113');
    expect(closes?.join()).toContain('203.0.113.128/25 on TCP 443');
    expect(closes?.join()).toContain('api.example.com on TCP 443');

    await site.applyPolicy('works', spec);
    await site.ready('works');
    expect((await diff('works', spec)).code).toBe(0);
  });

  it('says what a refusal leads to', async () => {
    const impossible = { require: { domainAssurance: 'TLSServerName' }, dns: resolver, allow: [domainRule] };
    const kept = await diff('works', impossible);
    expect(kept.code).toBe(2);
    expect(kept.stdout).toContain('domain.tlsServerName');
    expect(kept.stdout).toContain('then: what is in force would stay (onRefusal: KeepPrevious)');
    expect(kept.stdout).toContain('may reach what it may reach now');
    const shut = await diff('works', { ...impossible, onRefusal: 'DenyAll' });
    expect(shut.stdout).toContain('only the egress floor would be left');
    expect(shut.stdout).toMatch(/^ {2}- other\.example\.com on TCP 8443$/m);
  });

  it('judges a profile and a policy that come together', async () => {
    const both = [
      profile(namespace, 'second', 'second-agent'),
      policy(namespace, 'second', { profileRef: { name: 'second' }, allow: [cidrRule] }),
    ];
    const input = both.map((object) => JSON.stringify(object)).join('\n---\n');
    const { code, stdout } = await cli.run(['diff', '-f', '-', '--kubeconfig', site.kubectl.kubeconfigPath], { input });
    expect(code).toBe(2);
    expect(stdout).toContain('EgressPolicy cli/second: new');
    expect(stdout).toMatch(/ServiceAccount cli\/second-agent:\n {2}\+ 203\.0\.113\.0\/24 on TCP 443/);
  });

  it('changes nothing', async () => {
    const from = await auditMark(controlPlaneOfWorker());
    await diff('unseen', { allow: [cidrRule] });
    await run('status', '-A');
    const to = await auditMark(controlPlaneOfWorker());
    const asked = await auditBetween(controlPlaneOfWorker(), from, to);
    const ours = asked.filter(({ userAgent }) => userAgent?.startsWith('agentplane/'));
    expect(ours.length).toBeGreaterThan(4);
    expect(auditCounts(auditMatching(ours, { verb: WRITES }))).toEqual({});
  });
});
