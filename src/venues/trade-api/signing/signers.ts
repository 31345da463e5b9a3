// Signers and verifiers for each scheme. ECDSA and Ed25519 signatures are deterministic. RSA signing takes milliseconds
// and runs on the platform's own threads. Must never put a key or a signature into an error.
import { type KeyObject, constants, createHash, sign as platformSign, verify as platformVerify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { must } from '../../../base/assert.ts';
import type { PrivateKey } from './key-files.ts';
import type { Signing, SigningScheme, WireProfile } from '../profiles/wire-profile.ts';

/**
 * Signs a text and returns the signature in the profile's encoding. Returns a promise when the scheme is asynchronous.
 */
export type Signer = (text: string) => string | Promise<string>;
/** True when a signature belongs to a text. */
export type Verifier = (text: string, signature: string) => boolean;

/** True when signatures of a scheme are computed off the event loop. */
export const isAsynchronousScheme = (scheme: SigningScheme): boolean => scheme === 'rsa-pss-sha256';

/** A signer for a key, in the form that a profile requires. */
export function createSigner(signing: Signing, { scheme, object }: PrivateKey): Signer {
  const { encoding } = signing;
  if (scheme === 'rsa-pss-sha256')
    return async (text) => (await signOffLoop(Buffer.from(text), object)).toString(encoding);
  const sign = bytesSigner(signing, { scheme, object });
  return (text) => sign(Buffer.from(text)).toString(encoding);
}

/**
 * A signer that has the platform's own code sign, on the platform's threads. Elliptic signatures of it are not
 * deterministic.
 */
export function createPlatformSigner({ digest, form, encoding }: Signing, { scheme, object }: PrivateKey): Signer {
  if (scheme === 'rsa-pss-sha256')
    return async (text) => (await signOffLoop(Buffer.from(text), object)).toString(encoding);
  const algorithm = scheme === 'ed25519' ? null : digest;
  const key = { key: object, dsaEncoding: form === 'der' ? ('der' as const) : ('ieee-p1363' as const) };
  return (text) =>
    new Promise((resolve, reject) => {
      platformSign(algorithm, Buffer.from(text), key, (error, signature) =>
        error ? reject(error) : resolve(signature.toString(encoding)),
      );
    });
}

/**
 * True when a signature of a key is valid by the code of `@noble/curves`, which is independent of the platform's. Always
 * true for RSA, which has no other code here.
 */
export function isValidByNoble(signing: Signing, key: PrivateKey, signed: readonly [string, string]): boolean {
  const [text, signature] = signed;
  const given = decodeSignature(signature, signing.encoding);
  const message = Buffer.from(text);
  if (key.scheme === 'rsa-pss-sha256') return true;
  const secret = secretOf(key.object);
  if (given === null) return false;
  if (key.scheme === 'ed25519') return ed25519.verify(given, message, ed25519.getPublicKey(secret));
  const curve = key.scheme === 'ecdsa-p256' ? p256 : secp256k1;
  const hash = createHash(signing.digest).update(message).digest();
  const format = signing.form === 'der' ? 'der' : 'compact';
  // Only noble's own signatures have a low `s`, where the curve asks for it.
  return curve.verify(given, hash, curve.getPublicKey(secret), { prehash: false, format, lowS: false });
}

interface CurveKey extends PrivateKey {
  readonly scheme: Exclude<SigningScheme, 'rsa-pss-sha256'>;
}

function bytesSigner(signing: Signing, { scheme, object }: CurveKey): (text: Uint8Array) => Buffer {
  switch (scheme) {
    case 'ecdsa-p256':
      return ecdsaSigner(signing, p256, secretOf(object));
    case 'ecdsa-secp256k1':
      return ecdsaSigner(signing, secp256k1, secretOf(object));
    case 'ed25519': {
      const secret = secretOf(object);
      return (text) => Buffer.from(ed25519.sign(text, secret));
    }
  }
}

const signOffLoop = (text: Uint8Array, key: KeyObject): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    platformSign('sha256', text, pss(key, constants.RSA_PSS_SALTLEN_DIGEST), (error, signature) =>
      error ? reject(error) : resolve(signature),
    );
  });

type Curve = typeof p256;

function ecdsaSigner({ digest, form }: Signing, curve: Curve, secret: Uint8Array): (text: Uint8Array) => Buffer {
  return (text) => {
    const hash = createHash(digest).update(text).digest();
    const compact = curve.sign(hash, secret, { prehash: false });
    return Buffer.from(form === 'der' ? curve.Signature.fromBytes(compact).toBytes('der') : compact);
  };
}

function secretOf(key: KeyObject): Uint8Array {
  const { d } = key.export({ format: 'jwk' });
  return new Uint8Array(Buffer.from(must(d, 'secret of the key'), 'base64url'));
}

const pss = (
  key: KeyObject,
  saltLength: number,
): { readonly key: KeyObject; readonly padding: number; readonly saltLength: number } => ({
  key,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength,
});

/**
 * The salt lengths that each value of `readings.rsaSalt` accepts. `RSA_PSS_SALTLEN_AUTO` accepts any length, as Go's
 * verifier does.
 */
const SALTS = { any: constants.RSA_PSS_SALTLEN_AUTO, digest: constants.RSA_PSS_SALTLEN_DIGEST } as const;
/** The signature forms that each value of `readings.ecdsaForms` accepts, under the platform's names. */
const FORMS = { any: ['ieee-p1363', 'der'], compact: ['ieee-p1363'], der: ['der'] } as const;

/**
 * A verifier for a public key of the profile's scheme. The profile's readings define which signatures are accepted. The
 * platform's code verifies, independently of the signers here (RSA apart).
 */
export function createVerifier(
  { signing, readings }: Pick<WireProfile, 'signing' | 'readings'>,
  key: KeyObject,
): Verifier {
  const { scheme, digest, encoding } = signing;
  const salted = pss(key, SALTS[readings.rsaSalt]);
  const forms = FORMS[readings.ecdsaForms];
  return (text, signature) => {
    const given = decodeSignature(signature, encoding);
    if (given === null) return false;
    const message = Buffer.from(text);
    if (scheme === 'ed25519') return platformVerify(null, message, key, given);
    if (scheme === 'rsa-pss-sha256') return platformVerify('sha256', message, salted, given);
    return forms.some((dsaEncoding) => platformVerify(digest, message, { key, dsaEncoding }, given));
  };
}

function decodeSignature(text: string, encoding: Signing['encoding']): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : null;
}
