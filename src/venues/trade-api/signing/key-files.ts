// Creates the keys that sign requests, writes them to files and reads them. Must never let a byte of a private key
// reach an error, nor overwrite a key.
import { type JsonWebKey, type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { SigningScheme } from '../profiles/wire-profile.ts';

/** Thrown when a key cannot be used or created. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
  /** The file, or another description of the key's origin. */
  readonly source: string;

  constructor(source: string, problem: string) {
    super(`key ${source}: ${problem}`);
    this.source = source;
  }
}

/** A key pair as PEM: the private key in PKCS#8, the public key in SPKI. */
export interface KeyPairPem {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** A private key that has been checked to fit its scheme. */
export interface PrivateKey {
  readonly scheme: SigningScheme;
  readonly object: KeyObject;
}

/** The key type of each scheme in the platform's names, and a text for messages. */
const KINDS: Readonly<
  Record<SigningScheme, { readonly type: string; readonly curve?: string; readonly text: string }>
> = {
  'ecdsa-p256': { type: 'ec', curve: 'prime256v1', text: 'an EC key on P-256' },
  'ecdsa-secp256k1': { type: 'ec', curve: 'secp256k1', text: 'an EC key on secp256k1' },
  ed25519: { type: 'ed25519', text: 'an Ed25519 key' },
  'rsa-pss-sha256': { type: 'rsa', text: 'an RSA key' },
};

const PRIVATE_MODE = 0o600;
const PUBLIC_MODE = 0o644;
const OTHERS_MASK = 0o077;
const RSA_BITS = 2048;

/** Creates a key pair for a scheme. */
export function generateKeyPair(scheme: SigningScheme): KeyPairPem {
  const object =
    scheme === 'rsa-pss-sha256'
      ? generateKeyPairSync('rsa', { modulusLength: RSA_BITS }).privateKey
      : createPrivateKey({ key: generateJwk(scheme), format: 'jwk' });
  return {
    privatePem: object.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: createPublicKey(object).export({ type: 'spki', format: 'pem' }).toString(),
  };
}

function generateJwk(scheme: Exclude<SigningScheme, 'rsa-pss-sha256'>): JsonWebKey {
  if (scheme === 'ed25519') {
    const { secretKey, publicKey } = ed25519.keygen();
    return { kty: 'OKP', crv: 'Ed25519', d: base64url(secretKey), x: base64url(publicKey) };
  }
  const [curve, crv] = scheme === 'ecdsa-p256' ? [p256, 'P-256'] : [secp256k1, 'secp256k1'];
  const { secretKey } = curve.keygen();
  // The point is one format byte and two coordinates of 32 bytes.
  const point = curve.getPublicKey(secretKey, false);
  const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))];
  return { kty: 'EC', crv, d: base64url(secretKey), x, y };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** The files of a key pair. */
export interface KeyFiles {
  readonly privateFile: string;
  readonly publicFile: string;
}

/**
 * Writes a key pair: the private key to `file`, readable by its owner only, the public key to `file.pub`.
 * @throws {KeyFault} when either file exists or cannot be written.
 */
export function writeKeyPair(file: string, pair: KeyPairPem): KeyFiles {
  const publicFile = `${file}.pub`;
  for (const path of [file, publicFile]) {
    if (existsSync(path)) throw new KeyFault(path, 'already exists; a key is never overwritten');
  }
  writeNew(file, pair.privatePem, PRIVATE_MODE);
  writeNew(publicFile, pair.publicPem, PUBLIC_MODE);
  return { privateFile: file, publicFile };
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' });
  } catch (error) {
    const problem =
      codeOf(error) === 'EEXIST'
        ? 'already exists; a key is never overwritten'
        : `cannot be written (${codeOf(error)})`;
    throw new KeyFault(file, problem);
  }
}

/**
 * Reads a private key from a file. The key's type selects the scheme among the allowed ones.
 * @throws {KeyFault} when the file cannot be read, is accessible to others, or holds no unencrypted private key of an
 * allowed scheme, or an RSA key of fewer than 2048 bits.
 */
export function loadPrivateKey(file: string, schemes: readonly SigningScheme[]): PrivateKey {
  const object = parsePrivateKey(readPrivateFile(file), file);
  return { scheme: schemeOf(object, { schemes, source: file }), object };
}

function readPrivateFile(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    // The mode is read from the open file, so that the file cannot be swapped in between.
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new KeyFault(file, 'expected a file, found something else');
    const mode = stat.mode & 0o777;
    if ((mode & OTHERS_MASK) !== 0) {
      throw new KeyFault(file, `expected mode 600, found ${mode.toString(8)}: others can reach it (chmod 600 it)`);
    }
    return readFileSync(handle, 'utf8');
  } catch (error) {
    throw error instanceof KeyFault ? error : unreadable(file, error);
  } finally {
    closeSync(handle);
  }
}

const unreadable = (file: string, error: unknown): KeyFault =>
  new KeyFault(file, codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${codeOf(error)})`);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown reason';

/**
 * A private key from its PEM text: in PKCS#8, or another format that the platform reads.
 * @throws {KeyFault} when it is encrypted, not a private key, or does not fit the scheme.
 */
export function readPrivateKey(pem: string, { scheme, source }: { scheme: SigningScheme; source: string }): PrivateKey {
  const object = parsePrivateKey(pem, source);
  return { scheme: schemeOf(object, { schemes: [scheme], source }), object };
}

function parsePrivateKey(pem: string, source: string): KeyObject {
  if (!pem.includes('-----BEGIN')) throw new KeyFault(source, 'expected PEM, found no "-----BEGIN" line');
  if (/ENCRYPTED/.test(pem)) throw new KeyFault(source, 'is encrypted; expected a key without a passphrase');
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new KeyFault(source, 'expected a private key, found a public one or something else');
  }
  try {
    return createPrivateKey(pem);
  } catch {
    // The platform's own message is dropped: it might contain a part of the key.
    throw new KeyFault(source, 'is not a readable private key: its PEM is broken');
  }
}

/**
 * A public key from its PEM text.
 * @throws {KeyFault} when it is not a public key, or does not fit the scheme.
 */
export function readPublicKey(pem: string, { scheme, source }: { scheme: SigningScheme; source: string }): KeyObject {
  const object = parsePublicKey(pem, source);
  schemeOf(object, { schemes: [scheme], source });
  return object;
}

/**
 * The scheme of a public key, among the allowed ones.
 * @throws {KeyFault} when it is not a public key of an allowed scheme.
 */
export const publicKeyScheme = (
  pem: string,
  { schemes, source }: { schemes: readonly SigningScheme[]; source: string },
): SigningScheme => schemeOf(parsePublicKey(pem, source), { schemes, source });

function parsePublicKey(pem: string, source: string): KeyObject {
  if (/PRIVATE KEY/.test(pem)) throw new KeyFault(source, 'expected a public key, found a private one');
  try {
    return createPublicKey(pem);
  } catch {
    throw new KeyFault(source, 'is not a readable public key: expected PEM in SPKI');
  }
}

/**
 * Reads a public key from a file, which anyone may read.
 * @throws {KeyFault} when the file cannot be read, is not a public key, or does not fit the scheme.
 */
export function loadPublicKey(file: string, scheme: SigningScheme): KeyObject {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  return readPublicKey(pem, { scheme, source: file });
}

function schemeOf(
  object: KeyObject,
  { schemes, source }: { readonly schemes: readonly SigningScheme[]; readonly source: string },
): SigningScheme {
  const type = object.asymmetricKeyType ?? 'nothing';
  const { namedCurve, modulusLength = RSA_BITS } = object.asymmetricKeyDetails ?? {};
  const scheme = schemes.find((name) => KINDS[name].type === type && KINDS[name].curve === namedCurve);
  if (scheme === undefined) {
    const expected = schemes.map((name) => KINDS[name].text).join(' or ');
    throw new KeyFault(
      source,
      `expected ${expected}, found ${type}${namedCurve === undefined ? '' : ` on ${namedCurve}`}`,
    );
  }
  if (modulusLength < RSA_BITS)
    throw new KeyFault(source, `expected an RSA key of ${RSA_BITS} bits or more, found one of ${modulusLength}`);
  return scheme;
}
