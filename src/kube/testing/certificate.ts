import { generateKeyPairSync, sign } from 'node:crypto';

export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * A self-signed certificate for 127.0.0.1, made anew for each test run so that no private key lives in the repository.
 * Just enough DER for RFC 5280: an EC P-256 key, basicConstraints CA and one IP subjectAltName.
 */
export function selfSignedCertificate(commonName: string): ServerCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid(COMMON_NAME), tagged(0x0c, Buffer.from(commonName)))));
  const ecdsaWithSha256 = sequence(oid(ECDSA_WITH_SHA256));
  const tbs = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(generalizedTime('20200101000000Z'), generalizedTime('20990101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(BASIC_CONSTRAINTS_CA, LOCALHOST_NAME)),
  );
  const signature = sign('sha256', tbs, privateKey);
  const der = sequence(tbs, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const COMMON_NAME = '550403';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const BASIC_CONSTRAINTS_CA = sequence(oid('551d13'), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))));
const LOCALHOST_NAME = sequence(oid('551d11'), tagged(0x04, sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])))));

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function generalizedTime(text: string): Buffer {
  return tagged(0x18, Buffer.from(text));
}
