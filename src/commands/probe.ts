/** `agentplane probe`: shows with packets what the cluster enforces, and publishes it in the CapabilityReport. */
import { systemClock } from '../kube/clock.ts';
import { createClient } from '../kube/create-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import type { Logger } from '../kube/logger.ts';
import { createResultsGauge, createRunCounter } from '../probe/metrics.ts';
import { createProbe, probeOnce } from '../probe/probe.ts';
import { renderProbeJson, renderProbeTable } from '../probe/render.ts';
import { worstOf } from '../probe/results.ts';
import type { RunVerdict } from '../probe/verdict.ts';
import { PRODUCT_VERSION } from '../version.ts';
import { type Command, EXIT_FOUND, EXIT_INCONCLUSIVE } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import type { Io } from './io.ts';
import { probeSettingFlags, probeSettings } from './probe-flags.ts';
import { runService, serviceFlags } from './service.ts';
import { outputFlag } from './shared-flags.ts';

const FORMATS = ['table', 'json'] as const;
const REQUEST_TIMEOUT_MS = 30_000;

export const probeCommand: Command = {
  flags: [
    { name: 'once', description: 'makes one run and prints it; else one after the other, for ever' },
    { name: 'publish', description: 'with --once: writes the results into the CapabilityReport as well' },
    ...probeSettingFlags,
    outputFlag(FORMATS),
    ...serviceFlags,
  ],
  details: [
    'Exit code with --once: 0 when every capability that the provider declares is Verified, 2 when one Failed, 3 when',
    'none did and one is Inconclusive, 1 when no run could be made.',
    '',
    'Example: agentplane probe --once -n canaries --install-namespace agentplane --image registry.example.com/agentplane:1.0.0 \\',
    '  --allowed-addresses 203.0.113.10:443 --denied-addresses 203.0.113.20:443',
  ].join('\n'),
  run: (flags, io) => (flags.given('once') ? runOnce(flags, io) : runForEver(flags)),
};

async function runOnce(flags: FlagValues, io: Io): Promise<number> {
  const settings = probeSettings(flags);
  const format = flags.oneOf('output', FORMATS);
  const ended = new AbortController();
  const end = () => ended.abort();
  // Whoever interrupts it leaves no canaries behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const client = createClient({
    kubeConfig: loadKubeConfig(io.env),
    userAgent: `agentplane-probe/${PRODUCT_VERSION}`,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  try {
    const parts = { client, clock: systemClock(), logger: notes(io), signal: ended.signal };
    const verdict = await probeOnce(settings, parts, { publish: flags.given('publish') });
    io.print(format === 'json' ? renderProbeJson(verdict) : renderTable(verdict, io));
    return exitCodeOf(verdict);
  } finally {
    await client.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
}

function renderTable(verdict: RunVerdict, io: Io): string {
  return renderProbeTable(verdict, { good: io.paint('green'), bad: io.paint('red'), warn: io.paint('yellow') });
}

function exitCodeOf({ capabilities }: RunVerdict): number {
  return { Verified: 0, Failed: EXIT_FOUND, Inconclusive: EXIT_INCONCLUSIVE }[worstOf(capabilities)];
}

/** What a run has to say beside its result. */
function notes(io: Io): Logger {
  const note = (_: object, message: string) => io.note(message);
  return { debug: () => undefined, info: note, warn: note, error: note };
}

function runForEver(flags: FlagValues): Promise<number> {
  if (flags.given('publish'))
    throw new UsageError('--publish goes with --once: without it results are always published');
  const settings = probeSettings(flags);
  if (settings.expiryMs <= settings.intervalMs)
    throw new UsageError(
      '--expiry-seconds must be more than --interval-seconds: results would expire between two runs',
    );
  return runService('probe', flags, ({ client, clock, logger, metrics, signal }) => {
    const { registry } = metrics;
    const counting = { onRun: createRunCounter(registry), onResults: createResultsGauge(registry) };
    const probe = createProbe(settings, { client, clock, logger, ...counting });
    return {
      live: {},
      ready: { 'there are results about this cluster': probe.isReady },
      run: async () => {
        await probe.run(signal);
        return 0;
      },
    };
  });
}
