/** What the probe tries outside of the cluster: given by the platform admin, since nothing there can be guessed. */
import ipaddr from 'ipaddr.js';
import { familyOfAddress, type IpFamily } from '../compile/cidr.ts';

export interface Address {
  readonly address: string;
  readonly family: IpFamily;
  readonly port: number;
}

export interface Name {
  readonly name: string;
  readonly port: number;
}

export interface Targets {
  /** At most one of each family. */
  readonly allowed: readonly Address[];
  readonly denied: readonly Address[];
  /** On another address than the denied one. */
  readonly allowedName?: Name;
  readonly deniedName?: Name;
  /** Below one suffix, by one label and by two. */
  readonly oneLabelName?: Name;
  readonly twoLabelName?: Name;
  /** A resolver that is not the cluster's. */
  readonly resolver?: string;
}

export const NO_TARGETS: Targets = { allowed: [], denied: [] };

/** `203.0.113.10:443` or `[2001:db8::1]:443`; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const { host, port } = hostAndPort(text) ?? {};
  const address = host?.replace(/^\[(.*)\]$/, '$1');
  const family = address === undefined ? undefined : familyOfAddress(address);
  if (address === undefined || family === undefined || port === undefined) return undefined;
  // Not `::1:443`, which is an address too.
  return (family === 'IPv6') === host?.startsWith('[') ? { address, family, port } : undefined;
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** `api.example.com:443`; undefined for anything else. */
export function parseName(text: string): Name | undefined {
  const { host, port } = hostAndPort(text) ?? {};
  if (host === undefined || port === undefined || host.length > 253) return undefined;
  return NAME.test(host) && familyOfAddress(host) === undefined ? { name: host, port } : undefined;
}

/** What is wrong with them together; undefined when nothing is. */
export function targetsProblem(targets: Targets): string | undefined {
  const { allowed, denied, allowedName, deniedName, oneLabelName, twoLabelName } = targets;
  for (const list of [allowed, denied]) {
    if (new Set(list.map(({ family }) => family)).size < list.length) return 'give one address of each family';
  }
  if (allowed.some(({ address }) => denied.some((other) => other.address === address)))
    return 'the allowed and the denied address are the same';
  if (allowedName !== undefined && allowedName.name === deniedName?.name)
    return 'the allowed and the denied name are the same';
  if (oneLabelName === undefined || twoLabelName === undefined) return undefined;
  const deeper = afterLabel(afterLabel(twoLabelName.name)) === afterLabel(oneLabelName.name);
  return deeper ? undefined : `${twoLabelName.name} is not two labels below ${afterLabel(oneLabelName.name)}`;
}

/** The name without its first label. */
export function afterLabel(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** The block of one address. */
export function onlyBlock({ address, family }: Address): string {
  return `${address}/${family === 'IPv4' ? 32 : 128}`;
}

/** The smallest block that holds both, which are of one family. */
export function commonBlock(one: Address, other: Address): string {
  const [a, b] = [bitsOf(one), bitsOf(other)];
  const length = [...a].findIndex((bit, index) => bit !== b[index]);
  const prefix = length < 0 ? a.length : length;
  const kept = a.slice(0, prefix).padEnd(a.length, '0');
  const bytes = kept.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`;
}

function bitsOf({ address }: Address): string {
  return ipaddr
    .parse(address)
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
}

function hostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host, digits] = /^(.+):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
