/** The flags of `agentplane probe`, and the settings that they make. */

import { familyOfAddress } from '../compile/cidr.ts';
import type { ProbeSettings } from '../probe/probe.ts';
import { type Address, type Name, parseAddress, parseName, type Targets, targetsProblem } from '../probe/targets.ts';
import { PRODUCT_VERSION } from '../version.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';

const targetFlags: readonly Flag[] = [
  {
    name: 'allowed-addresses',
    value: 'A:PORT,...',
    description:
      'addresses outside of the cluster that answer, one of each family, as 203.0.113.10:443 or [2001:db8::1]:443',
    default: '',
  },
  { name: 'denied-addresses', value: 'A:PORT,...', description: 'others, which must stay shut', default: '' },
  {
    name: 'allowed-name',
    value: 'NAME:PORT',
    description: 'a name that leads out of the cluster',
    default: '',
  },
  { name: 'denied-name', value: 'NAME:PORT', description: 'another, on another address', default: '' },
  {
    name: 'one-label-name',
    value: 'NAME:PORT',
    description: 'a name one label below a suffix, as a.cdn.example.com:443',
    default: '',
  },
  {
    name: 'two-label-name',
    value: 'NAME:PORT',
    description: 'one two labels below it, on another address, as a.b.cdn.example.com:443',
    default: '',
  },
  { name: 'other-resolver', value: 'ADDRESS', description: "a resolver that is not the cluster's", default: '' },
];

const podFlags: readonly Flag[] = [
  { name: 'namespace', short: 'n', value: 'NAME', description: 'the namespace of the canaries, and of nothing else' },
  { name: 'image', value: 'REFERENCE', description: 'the image of AgentPlane, which the canaries run' },
  {
    name: 'image-pull-policy',
    value: 'POLICY',
    description: 'Always, IfNotPresent or Never',
    default: 'IfNotPresent',
  },
  {
    name: 'image-pull-secrets',
    value: 'A,B',
    description: 'Secrets of the namespace of the canaries to pull it with',
    default: '',
  },
  { name: 'node-selector', value: 'K=V,...', description: 'labels of the nodes to try it on', default: '' },
  { name: 'patience-seconds', value: 'N', description: 'how long pods may take to be there', default: '90' },
];

export const probeSettingFlags: readonly Flag[] = [
  ...podFlags,
  { name: 'install-namespace', value: 'NAME', description: 'the namespace of the CapabilityReport' },
  { name: 'capability-report', value: 'NAME', description: 'the CapabilityReport', default: 'cluster' },
  {
    name: 'report-max-age-seconds',
    value: 'N',
    description: 'a report older than this is not compiled by',
    default: '300',
  },
  ...targetFlags,
  { name: 'cluster-domain', value: 'NAME', description: 'the DNS domain of the cluster', default: 'cluster.local' },
  { name: 'api-server-port', value: 'PORT', description: 'the port that the API server listens on', default: '6443' },
  { name: 'interval-seconds', value: 'N', description: 'time between two runs that come out well', default: '600' },
  { name: 'expiry-seconds', value: 'N', description: 'how long a result counts', default: '1800' },
];

export function probeSettings(flags: FlagValues): ProbeSettings {
  const namespace = flags.text('namespace');
  const installNamespace = flags.text('install-namespace');
  if (namespace === installNamespace)
    throw new UsageError('--namespace: the canaries need a namespace of their own, not that of the release');
  const seconds = (name: string, min: number) => flags.integer(name, { min, max: 604_800 }) * 1000;
  return {
    namespace,
    targets: targetsOf(flags),
    clusterDomain: flags.text('cluster-domain'),
    apiServerPort: flags.integer('api-server-port', { min: 1, max: 65_535 }),
    pods: {
      namespace,
      image: flags.text('image'),
      pullPolicy: flags.oneOf('image-pull-policy', ['Always', 'IfNotPresent', 'Never']),
      pullSecrets: flags.list('image-pull-secrets'),
      nodeSelector: flags.pairs('node-selector'),
    },
    patienceMs: seconds('patience-seconds', 10),
    report: { namespace: installNamespace, name: flags.text('capability-report') },
    reportMaxAgeMs: seconds('report-max-age-seconds', 10),
    intervalMs: seconds('interval-seconds', 10),
    expiryMs: seconds('expiry-seconds', 10),
    compiler: PRODUCT_VERSION,
  };
}

function targetsOf(flags: FlagValues): Targets {
  const names = {
    allowedName: nameIn(flags, 'allowed-name'),
    deniedName: nameIn(flags, 'denied-name'),
    oneLabelName: nameIn(flags, 'one-label-name'),
    twoLabelName: nameIn(flags, 'two-label-name'),
  };
  const resolver = flags.text('other-resolver');
  if (resolver !== '' && familyOfAddress(resolver) === undefined)
    throw new UsageError(`--other-resolver: "${resolver}" is not an IP address`);
  const targets: Targets = {
    allowed: addressesIn(flags, 'allowed-addresses'),
    denied: addressesIn(flags, 'denied-addresses'),
    ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined)),
    ...(resolver === '' ? {} : { resolver }),
  };
  const problem = targetsProblem(targets);
  if (problem !== undefined) throw new UsageError(`the targets: ${problem}`);
  return targets;
}

function addressesIn(flags: FlagValues, name: string): readonly Address[] {
  return flags.list(name).map((text) => {
    const address = parseAddress(text);
    if (address === undefined) throw new UsageError(`--${name}: "${text}" is not ADDRESS:PORT`);
    return address;
  });
}

function nameIn(flags: FlagValues, flag: string): Name | undefined {
  const text = flags.text(flag);
  if (text === '') return undefined;
  const name = parseName(text);
  if (name === undefined) throw new UsageError(`--${flag}: "${text}" is not NAME:PORT, with a name in lower case`);
  return name;
}
