// Signatures checked on other threads: the results are those of the event loop and of a second library, for right, changed,
// malleable and malformed signatures; and a thread that dies loses none.
import { type KeyObject, constants, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterEach, describe, expect, it } from 'vitest';
import { SignatureThreads } from '../../../src/exchange/api/signature-threads.ts';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import { type CheckedKey, createVerifier, signatureTerms } from '../../../src/venues/trade-api/signing/signers.ts';
import type { SigningScheme } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';

const TEXT = '1760000000000POST/trade-api/v2/portfolio/orders';
const CURVES = { 'ecdsa-p256': p256, 'ecdsa-secp256k1': secp256k1 } as const;

const opened: SignatureThreads[] = [];
afterEach(async () => {
  for (const threads of opened.splice(0)) await threads.stop();
});

function threadsFor(keys: Record<string, CheckedKey>, options = {}): SignatureThreads {
  const threads = new SignatureThreads(new Map(Object.entries(keys)), options);
  opened.push(threads);
  return threads;
}

const checkAll = (threads: SignatureThreads, keyId: string, signatures: readonly string[]): Promise<boolean[]> =>
  Promise.all(
    signatures.map(
      (signature) => new Promise<boolean>((resolve) => threads.check({ keyId, text: TEXT, signature }, resolve)),
    ),
  );

interface Signed {
  readonly terms: Parameters<typeof signatureTerms>[0];
  readonly publicKey: KeyObject;
  /** A right signature. */
  readonly bytes: Buffer;
}

function signedWith(scheme: SigningScheme): Signed {
  const { privatePem } = generateKeyPair(scheme);
  const { object: key } = readPrivateKey(privatePem, { scheme, source: 'test' });
  const form = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = scheme === 'rsa-pss-sha256' ? form : ({ dsaEncoding: 'ieee-p1363' } as const);
  const bytes = sign(scheme === 'ed25519' ? null : 'sha256', Buffer.from(TEXT), { key, ...options });
  const terms = { signing: { ...serviceProfile.signing, scheme }, readings: serviceProfile.readings };
  return { terms, publicKey: createPublicKey(key), bytes };
}

const changed = (bytes: Buffer, at: number): Buffer =>
  Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));

/** A scalar as 32 bytes. */
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const scalarOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

/** Compact signatures of every kind: right, malleable, with scalars out of range, of wrong lengths, changed anywhere. */
function compactCases(bytes: Buffer, order: bigint): Buffer[] {
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)];
  const highOrLow = Buffer.concat([r, bytesOf(order - scalarOf(s))]);
  const outOfRange = [0n, order, order + 1n].flatMap((bad) => [
    Buffer.concat([bytesOf(bad), s]),
    Buffer.concat([r, bytesOf(bad)]),
  ]);
  const lengths = [Buffer.alloc(0), bytes.subarray(0, 63), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(64)];
  const flipped = Array.from({ length: 64 }, (_, at) => changed(bytes, at));
  return [bytes, highOrLow, ...outOfRange, ...lengths, ...flipped];
}

describe('signatures checked on threads', () => {
  it.each(Object.keys(CURVES) as (keyof typeof CURVES)[])('are judged as noble judges them: %s', async (scheme) => {
    const { publicKey, bytes, terms: service } = signedWith(scheme);
    // The strictest reading, so that only the compact form counts.
    const terms = { ...service, readings: { ...service.readings, ecdsaForms: 'compact' } as const };
    const curve = CURVES[scheme];
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const isRightByNoble = (given: Buffer): boolean => {
      try {
        return curve.verify(given, Buffer.from(TEXT), point, { lowS: false });
      } catch {
        return false;
      }
    };
    const cases = compactCases(bytes, curve.Point.Fn.ORDER);
    const texts = cases.map((each) => each.toString('base64'));
    const verify = createVerifier(terms, publicKey);
    const expected = cases.map(isRightByNoble);
    const threads = threadsFor({ ann: { key: publicKey, ...signatureTerms(terms) } });
    expect(expected.slice(0, 2)).toEqual([true, true]);
    expect(expected.filter(Boolean)).toHaveLength(2);
    expect(await checkAll(threads, 'ann', texts)).toEqual(expected);
    expect(texts.map((text) => verify(TEXT, text))).toEqual(expected);
  });

  it.each<SigningScheme>(['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519', 'rsa-pss-sha256'])(
    'are judged as on the event loop: %s',
    async (scheme) => {
      const { terms, publicKey, bytes } = signedWith(scheme);
      const right = bytes.toString('base64');
      const texts = [right, changed(bytes, 0), changed(bytes, bytes.length - 1), bytes.subarray(1)].map((each) =>
        typeof each === 'string' ? each : each.toString('base64'),
      );
      // Not the text that the bytes would be written as.
      texts.push(` ${right}`, right.replace(/=*$/, ''), `${right}=`, 'not base64', '', bytes.toString('hex'));
      const threads = threadsFor({ ann: { key: publicKey, ...signatureTerms(terms) } });
      const verify = createVerifier(terms, publicKey);
      const found = await checkAll(threads, 'ann', texts);
      expect(found).toEqual(texts.map((text) => verify(TEXT, text)));
      expect(found[0]).toBe(true);
    },
  );

  it('are checked with the key that each names', async () => {
    const [ann, bob] = [signedWith('ecdsa-p256'), signedWith('ecdsa-p256')];
    const keys = Object.fromEntries(
      Object.entries({ ann, bob }).map(([id, { publicKey, terms }]) => [
        id,
        { key: publicKey, ...signatureTerms(terms) },
      ]),
    );
    const threads = threadsFor(keys, { threads: 2 });
    const signatures = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? ann : bob).bytes.toString('base64'));
    expect(await checkAll(threads, 'ann', signatures)).toEqual(signatures.map((_, at) => at % 2 === 0));
    expect(await checkAll(threads, 'bob', signatures)).toEqual(signatures.map((_, at) => at % 2 === 1));
  });
});

describe('a thread that dies or does not answer', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { bytes, publicKey: right, terms } = signedWith('ecdsa-p256');
  const keys = { ann: { key: right, ...signatureTerms(terms) }, eve: { key: publicKey, ...signatureTerms(terms) } };
  const signatures = Array.from({ length: 60 }, () => bytes.toString('base64'));

  it.each([
    ['at its start', 'throw new Error("no thread")'],
    ['at its first batch', `require('node:worker_threads').parentPort.on('message', () => process.exit(1))`],
  ])('%s loses no check, and none is answered twice', async (_when, source) => {
    const threads = threadsFor(keys, { threads: 2, start: () => new Worker(source, { eval: true }) });
    let answers = 0;
    const done = Promise.all(
      signatures.map(
        (signature) =>
          new Promise<boolean>((resolve) =>
            threads.check({ keyId: 'ann', text: TEXT, signature }, (isSigned) => {
              answers += 1;
              resolve(isSigned);
            }),
          ),
      ),
    );
    expect(await done).toEqual(signatures.map(() => true));
    expect(await checkAll(threads, 'eve', signatures)).toEqual(signatures.map(() => false));
    expect(answers).toBe(signatures.length);
  });

  it('has two batches of four at most: the loop checks the rest', async () => {
    const silent = `require('node:worker_threads').parentPort.on('message', () => undefined)`;
    const threads = threadsFor(keys, { threads: 1, start: () => new Worker(silent, { eval: true }) });
    const answered: number[] = [];
    signatures.forEach((signature, number) =>
      threads.check({ keyId: 'ann', text: TEXT, signature }, (isSigned) => {
        if (isSigned) answered.push(number);
      }),
    );
    await expect.poll(() => answered.length).toBe(signatures.length - 8);
    expect(answered).toEqual(signatures.map((_, number) => number).slice(8));
    await threads.stop();
    expect(answered).toHaveLength(signatures.length);
  });

  it('because it is stopped leaves its checks to the event loop', async () => {
    const threads = threadsFor(keys);
    const found = checkAll(threads, 'ann', signatures);
    await new Promise((resolve) => setImmediate(resolve));
    await threads.stop();
    expect(await found).toEqual(signatures.map(() => true));
    expect(await checkAll(threads, 'ann', signatures)).toEqual(signatures.map(() => true));
  });
});
