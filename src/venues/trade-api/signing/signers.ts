// Signers and verifiers for each scheme. ECDSA and Ed25519 signatures of noble are deterministic. RSA signing takes
// milliseconds and runs on the platform's own threads. Must never put a key or a signature into an error.
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

/** Number of warm-up signatures. The first signatures of noble are tens of times slower than later ones. */
export const WARMING_SIGNATURES = 50;

/** A signer for a key, in the form that a profile requires. */
export function createSigner(signing: Signing, { scheme, object }: PrivateKey): Signer {
  const { encoding } = signing;
  if (scheme === 'rsa-pss-sha256')
    return async (text) => (await signOffLoop(Buffer.from(text), object)).toString(encoding);
  const sign = bytesSigner(signing, { scheme, object });
  return (text) => sign(Buffer.from(text)).toString(encoding);
}

/**
 * True when the platform's code signs in less time than another thread takes to answer: some 25 µs. It needs half a
 * millisecond for secp256k1, and more for RSA.
 */
export const isQuickOnPlatform = (scheme: SigningScheme): boolean => scheme === 'ecdsa-p256' || scheme === 'ed25519';

/**
 * A signer that has the platform's own code sign: at once where that is quick, otherwise on the platform's threads. Its
 * ECDSA signatures are not deterministic.
 */
export function createPlatformSigner(signing: Signing, privateKey: PrivateKey): Signer {
  const { digest, form, encoding } = signing;
  const { scheme, object } = privateKey;
  if (scheme === 'rsa-pss-sha256') return createSigner(signing, privateKey);
  const algorithm = scheme === 'ed25519' ? null : digest;
  const key = { key: object, dsaEncoding: form === 'der' ? ('der' as const) : ('ieee-p1363' as const) };
  if (isQuickOnPlatform(scheme)) return (text) => platformSign(algorithm, Buffer.from(text), key).toString(encoding);
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
  if (key.scheme === 'rsa-pss-sha256') return true;
  const given = Buffer.from(signature, signing.encoding);
  const message = Buffer.from(text);
  const secret = secretOf(key.object);
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

/** How the signatures of one key are checked, as plain data that another thread can be given. */
export interface SignatureTerms {
  /** `null` for a scheme that fixes its digest itself. */
  readonly digest: string | null;
  /** Options of the platform's verification besides the key. A signature that fits one of them is accepted. */
  readonly forms: readonly Readonly<Record<string, string | number>>[];
  readonly encoding: Signing['encoding'];
}

/** The terms of a profile's scheme. The profile's readings define which signatures are accepted. */
export function signatureTerms({ signing, readings }: Pick<WireProfile, 'signing' | 'readings'>): SignatureTerms {
  const { scheme, digest, encoding } = signing;
  switch (scheme) {
    case 'ed25519':
      return { digest: null, forms: [{}], encoding };
    case 'rsa-pss-sha256': {
      const form = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: SALTS[readings.rsaSalt] };
      return { digest: 'sha256', forms: [form], encoding };
    }
    case 'ecdsa-p256':
    case 'ecdsa-secp256k1':
      return { digest, forms: FORMS[readings.ecdsaForms].map((dsaEncoding) => ({ dsaEncoding })), encoding };
  }
}

/** A text and its signature, to be checked. */
export interface SignedMessage {
  readonly text: string;
  readonly signature: string;
}

/** A key with the terms of its signatures. */
export interface CheckedKey extends SignatureTerms {
  readonly key: KeyObject;
}

/**
 * True when a signature belongs to a text. Another thread gets this function as text. The function must therefore use
 * only its parameters and the platform's globals.
 */
export function isSigned(
  { key, digest, forms, encoding }: CheckedKey,
  { text, signature }: SignedMessage,
  verify: typeof platformVerify,
): boolean {
  const given = Buffer.from(signature, encoding);
  if (given.toString(encoding) !== signature) return false;
  const message = Buffer.from(text);
  return forms.some((form) => verify(digest, message, { key, ...form }, given));
}

/** A verifier for a public key. The platform's code verifies, independently of the signers here (RSA apart). */
export function createVerifier(profile: Pick<WireProfile, 'signing' | 'readings'>, key: KeyObject): Verifier {
  const checked = { key, ...signatureTerms(profile) };
  return (text, signature) => isSigned(checked, { text, signature }, platformVerify);
}
