/**
 * The one program behind all test targets; runs in a container, from this file. Takes on the addresses it is told and
 * answers each HTTP request with the name of the address that was asked.
 *
 *   node server.ts '{"addresses": {"api": "10.89.0.201"}, "ports": [80], "resolver": {"address": "...", "records": {}}}'
 *
 * In a pod, where addresses are given, `addresses` is left out and every answer is the value of `name`.
 */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { answerDns } from './dns-answer.ts';

export interface ServerConfig {
  readonly name?: string;
  /** Name to IPv4 address; needs NET_ADMIN. Link-local addresses are kept on loopback. */
  readonly addresses?: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  /** A DNS server on UDP and TCP port 53 of one of the addresses. */
  readonly resolver?: { readonly address: string; readonly records: Readonly<Record<string, string>> };
}

function adopt(addresses: readonly string[]): void {
  const outward = Object.keys(networkInterfaces()).find((name) => name !== 'lo') ?? 'eth0';
  for (const address of addresses) {
    const device = address.startsWith('169.254.') ? 'lo' : outward;
    execFileSync('ip', ['address', 'replace', `${address}/32`, 'dev', device]);
  }
}

function serveHttp(port: number, nameOf: (address: string) => string): void {
  const server = createHttpServer((request, response) => {
    // A connection kept open would make a later policy change look as if it had no effect, or the reverse.
    response.setHeader('connection', 'close');
    response.end(`${nameOf(request.socket.localAddress ?? '')}\n`);
  });
  server.listen(port, '0.0.0.0');
}

function serveDns(resolver: NonNullable<ServerConfig['resolver']>): void {
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    const answer = answerDns(query, resolver.records);
    if (answer !== undefined) udp.send(answer, from.port, from.address);
  });
  udp.bind(53, resolver.address);
  createTcpServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = answerDns(received.subarray(2), resolver.records) ?? Buffer.alloc(0);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
    });
  }).listen(53, resolver.address);
}

const config = JSON.parse(process.argv[2] ?? '{"ports": []}') as ServerConfig;
const names = new Map(Object.entries(config.addresses ?? {}).map(([name, address]) => [address, name]));
adopt([...names.keys()]);
for (const port of config.ports) serveHttp(port, (address) => names.get(address) ?? config.name ?? 'unknown');
if (config.resolver !== undefined) serveDns(config.resolver);
process.once('SIGTERM', () => process.exit(0));
