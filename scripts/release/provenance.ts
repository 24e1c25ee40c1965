/** Signatures that `helm verify` and `gpg --verify` check: OpenPGP (RFC 4880). */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCleartextMessage, createMessage, decryptKey, type PrivateKey, readPrivateKey, sign } from 'openpgp';
import { messageOf, ScriptError } from '../lib/errors.ts';

/** Reads an armored secret key; `passphrase` opens it where it is closed. */
export async function readSigningKey(file: string, passphrase: string | undefined): Promise<PrivateKey> {
  try {
    const key = await readPrivateKey({ armoredKey: await readFile(file, 'utf8') });
    if (key.isDecrypted()) return key;
    if (passphrase === undefined) {
      throw new Error('it is closed by a passphrase: set AGENTPLANE_SIGNING_PASSPHRASE');
    }
    return await decryptKey({ privateKey: key, passphrase });
  } catch (error) {
    throw new ScriptError('BadUsage', `--sign-key ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes `<chart>.tgz.prov`: its Chart.yaml as `metadata`, and the hash of the package, signed (helm.sh/docs/topics/provenance). */
export async function writeProvenance(chart: string, metadata: string, key: PrivateKey): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(chart))
    .digest('hex');
  const lines = metadata.split('\n').filter((line) => !line.startsWith('#'));
  const text = `${lines.join('\n').trim()}\n\n...\nfiles:\n  ${path.basename(chart)}: sha256:${hash}\n`;
  const signed = await sign({ message: await createCleartextMessage({ text }), signingKeys: key, format: 'armored' });
  const target = `${chart}.prov`;
  await writeFile(target, signed);
  return target;
}

/** Writes `<file>.asc`, a signature beside the file. */
export async function signBeside(file: string, key: PrivateKey): Promise<string> {
  const message = await createMessage({ binary: await readFile(file) });
  const target = `${file}.asc`;
  await writeFile(target, await sign({ message, signingKeys: key, detached: true, format: 'armored' }));
  return target;
}
