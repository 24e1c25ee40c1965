import { randomBytes } from 'node:crypto';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../lib/exec.ts';

export interface Certificate {
  readonly certificatePath: string;
  readonly keyPath: string;
}

export interface Subject {
  /** Becomes the user name (CN). */
  readonly name: string;
  /** Become the groups (O). */
  readonly groups: readonly string[];
}

/** Short: the control plane lives for one test run. */
const DAYS = '30';

/** Makes a certificate authority and the key that signs ServiceAccount tokens in `folder`. Returns the authority. */
export async function createAuthority(folder: string): Promise<Certificate> {
  await mkdir(folder, { recursive: true });
  const authority = certificatePaths(folder, 'ca');
  const keyless = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', DAYS];
  const files = ['-keyout', authority.keyPath, '-out', authority.certificatePath];
  await run('openssl', [...keyless, '-subj', '/CN=agentplane-embedded-ca', ...files]);
  const signing = serviceAccountKeys(folder);
  const curve = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  await run('openssl', ['genpkey', ...curve, '-out', signing.keyPath]);
  await run('openssl', ['pkey', '-in', signing.keyPath, '-pubout', '-out', signing.publicPath]);
  return authority;
}

/** The pair that signs ServiceAccount tokens, and that checks them. */
export function serviceAccountKeys(folder: string): { readonly keyPath: string; readonly publicPath: string } {
  return { keyPath: path.join(folder, 'service-accounts.key'), publicPath: path.join(folder, 'service-accounts.pub') };
}

/** Serving certificate for the loopback address and for the names under which the API server knows itself. */
export function issueServer(folder: string, serviceAddress: string): Promise<Certificate> {
  const names = `IP:127.0.0.1,IP:${serviceAddress},DNS:localhost,DNS:kubernetes.default.svc`;
  return issue(folder, 'server', { subject: '/CN=kube-apiserver', extensions: [`subjectAltName=${names}`] });
}

/** Client certificate. The same subject gives the same files; asking twice issues once. */
export async function issueClient(folder: string, subject: Subject): Promise<Certificate> {
  const base = ['client', subject.name, ...subject.groups].join('+').replaceAll(/[^\w.+-]/g, '_');
  const known = certificatePaths(folder, base);
  if (await exists(known.certificatePath)) return known;
  const parts = [...subject.groups.map((group) => `/O=${escapeRdn(group)}`), `/CN=${escapeRdn(subject.name)}`];
  return issue(folder, base, { subject: parts.join(''), extensions: ['extendedKeyUsage=clientAuth'] });
}

interface Request {
  readonly subject: string;
  readonly extensions: readonly string[];
}

async function issue(folder: string, base: string, request: Request): Promise<Certificate> {
  const issued = certificatePaths(folder, base);
  const authority = certificatePaths(folder, 'ca');
  const signing = path.join(folder, `${base}.csr`);
  const extensions = path.join(folder, `${base}.ext`);
  await writeFile(extensions, `${request.extensions.join('\n')}\n`);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', issued.keyPath];
  await run('openssl', ['req', ...key, '-subj', request.subject, '-out', signing]);
  // A serial file would be shared by certificates that are issued at the same time.
  const serial = `0x${randomBytes(16).toString('hex')}`;
  const signer = ['-CA', authority.certificatePath, '-CAkey', authority.keyPath, '-set_serial', serial];
  const output = ['-days', DAYS, '-extfile', extensions, '-out', issued.certificatePath];
  await run('openssl', ['x509', '-req', '-in', signing, ...signer, ...output]);
  return issued;
}

function certificatePaths(folder: string, base: string): Certificate {
  return { certificatePath: path.join(folder, `${base}.crt`), keyPath: path.join(folder, `${base}.key`) };
}

/** A slash separates the parts of a subject on openssl's command line. */
function escapeRdn(value: string): string {
  return value.replaceAll(/[\\/+]/g, (character) => `\\${character}`);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
