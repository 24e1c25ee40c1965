/**
 * What a canary tries, as the text that it is told. The canary starts in a hurry, so that this file imports nothing.
 *
 * - `tcp://HOST:PORT`, `tcp://HOST:PORT#WORD`: a connection; with a word, the target has to say it.
 * - `name://NAME:PORT`: the name is resolved by the pod's own resolver, and a connection is made to what it leads to.
 * - `resolve://NAME`: the pod's own resolver knows the name.
 * - `dns://SERVER:PORT/NAME`: that server answers a question, whatever it says.
 */
export type Attempt =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly word?: string }
  | { readonly kind: 'name'; readonly name: string; readonly port: number }
  | { readonly kind: 'resolve'; readonly name: string }
  | { readonly kind: 'dns'; readonly server: string; readonly port: number; readonly name: string };

/** As every pod knows it: the kubelet puts in the values. */
export const API_SERVER = 'tcp://$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)';

export function tcp(host: string, port: number, word?: string): string {
  return `tcp://${bracketed(host)}:${port}${word === undefined ? '' : `#${word}`}`;
}

export function byName(name: string, port: number): string {
  return `name://${name}:${port}`;
}

export function resolve(name: string): string {
  return `resolve://${name}`;
}

export function dns(server: string, name: string): string {
  return `dns://${bracketed(server)}:53/${name}`;
}

/** Undefined for what is none. */
export function parseAttempt(text: string): Attempt | undefined {
  const [, kind, rest = ''] = /^(tcp|name|resolve|dns):\/\/(.+)$/.exec(text) ?? [];
  if (kind === 'resolve') return { kind, name: rest };
  // The last colon: an address of IPv6 from the environment has no brackets.
  const [, host, digits, mark, word = ''] = /^\[?(.+?)\]?:([0-9]{1,5})(?:([#/])(.+))?$/.exec(rest) ?? [];
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  switch (`${kind}${mark ?? ''}`) {
    case 'tcp':
      return { kind: 'tcp', host, port };
    case 'tcp#':
      return { kind: 'tcp', host, port, word };
    case 'name':
      return { kind: 'name', name: host, port };
    case 'dns/':
      return { kind: 'dns', server: host, port, name: word };
    default:
      return undefined;
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
