// Signatures against published vectors, and against the platform's verifier, which shares no code with the signer.
import { constants, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/domain/units.ts';
import { generateKeyPair, readPrivateKey, readPublicKey } from '../../../../src/venues/trade-api/signing/key-files.ts';
import type { Signing, SigningScheme } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { signedText, timestampOf } from '../../../../src/venues/trade-api/signing/sign-text.ts';
import { createSigner, createVerifier } from '../../../../src/venues/trade-api/signing/signers.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const hex: Signing = { ...serviceProfile.signing, encoding: 'hex' };
const pemOf = (crv: string, d: string, [x, y]: readonly [string, string]): string =>
  createPrivateKey({
    key: { kty: 'EC', crv, d: url(d), x: url(x), y: url(y) },
    format: 'jwk',
  })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
const url = (text: string): string => Buffer.from(text, 'hex').toString('base64url');

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const P256_PEM = pemOf('P-256', 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721', [
  '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
  '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
]);
const SECP256K1_PEM = pemOf('secp256k1', '1'.padStart(64, '0'), [
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
]);

describe('published vectors', () => {
  it.each([
    [
      'sample',
      'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
      'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    ],
    [
      'test',
      'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
      '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
    ],
  ])(
    'matches RFC 6979 A.2.5, P-256 with SHA-256, message "%s", with the lower of the two equivalent values of s',
    (message, r, s) => {
      const key = readPrivateKey(P256_PEM, { scheme: 'ecdsa-p256', source: 'vector' });
      const high = BigInt(`0x${s}`);
      const low = high > P256_ORDER / 2n ? P256_ORDER - high : high;
      expect(createSigner(hex, key)(message)).toBe(r + low.toString(16).padStart(64, '0'));
    },
  );

  it('matches RFC 6979 on secp256k1, key 1, message "Satoshi Nakamoto"', () => {
    const key = readPrivateKey(SECP256K1_PEM, { scheme: 'ecdsa-secp256k1', source: 'vector' });
    expect(createSigner({ ...hex, scheme: 'ecdsa-secp256k1' }, key)('Satoshi Nakamoto')).toBe(
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
        '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    );
  });

  it('the platform accepts the signature that RFC 6979 A.2.5 gives for "sample"', async () => {
    const publicKey = createPublicKey(P256_PEM);
    const key = readPrivateKey(P256_PEM, { scheme: 'ecdsa-p256', source: 'vector' });
    const signature = Buffer.from(await createSigner(hex, key)('sample'), 'hex');
    expect(verify('sha256', Buffer.from('sample'), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(
      true,
    );
  });
});

const schemes: readonly SigningScheme[] = ['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519', 'rsa-pss-sha256'];
const forms: readonly Partial<Signing>[] = [
  { form: 'compact', encoding: 'base64', digest: 'sha256' },
  { form: 'der', encoding: 'base64', digest: 'sha256' },
  { form: 'compact', encoding: 'hex', digest: 'sha512' },
  { form: 'der', encoding: 'hex', digest: 'sha512' },
];

describe.each(schemes)('%s', (scheme) => {
  const pair = generateKeyPair(scheme);
  const key = readPrivateKey(pair.privatePem, { scheme, source: 'test' });
  const publicKey = readPublicKey(pair.publicPem, { scheme, source: 'test' });

  it.each(forms)('signs what the platform verifies, as %j', async (form) => {
    const signing: Signing = { ...serviceProfile.signing, ...form, scheme };
    const sign = createSigner(signing, key);
    const isOf = createVerifier({ ...serviceProfile, signing }, publicKey);
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (text, other) => {
        const signature = await sign(text);
        expect(isOf(text, signature)).toBe(true);
        if (other !== text) expect(isOf(other, signature)).toBe(false);
      }),
      { numRuns: runCount(5) },
    );
  });

  it('refuses an invalid signature without throwing', () => {
    const isOf = createVerifier({ ...serviceProfile, signing: { ...serviceProfile.signing, scheme } }, publicKey);
    for (const text of ['', '!', 'AAAA', 'A'.repeat(88), `${'A'.repeat(86)}==`]) expect(isOf('text', text)).toBe(false);
  });

  it.runIf(scheme !== 'rsa-pss-sha256')('signs the same text the same way twice', () => {
    const sign = createSigner({ ...serviceProfile.signing, scheme }, key);
    expect(sign('1700000000000POST/trade-api/v2/portfolio/orders')).toBe(
      sign('1700000000000POST/trade-api/v2/portfolio/orders'),
    );
  });
});

describe('signatures that a verifier accepts', () => {
  const text = Buffer.from('1700000000000GET/trade-api/v2/portfolio/balance');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltedBy = (saltLength: number): string =>
    sign('sha256', text, { key: rsa.privateKey, padding, saltLength }).toString('base64');
  const salts = [0, 20, 32, 64, constants.RSA_PSS_SALTLEN_MAX_SIGN];

  it.each([
    ['any', [true, true, true, true, true]],
    ['digest', [false, false, true, false, false]],
  ] as const)(
    'accepts RSA-PSS under the reading "%s" with salts of 0, 20, 32, 64 and the maximum number of bytes: %j',
    (rsaSalt, accepted) => {
      const profile = { ...kalshiProfile, readings: { ...kalshiProfile.readings, rsaSalt } };
      const isOf = createVerifier(profile, rsa.publicKey);
      expect(salts.map((salt) => isOf(text.toString(), saltedBy(salt)))).toEqual(accepted);
      expect(salts.map((salt) => isOf('another text', saltedBy(salt)))).toEqual(salts.map(() => false));
    },
  );

  it.each([
    ['any', [true, true]],
    ['compact', [true, false]],
    ['der', [false, true]],
  ] as const)(
    'accepts ECDSA under the reading "%s" for a compact signature and one in DER: %j',
    (ecdsaForms, accepted) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const isOf = createVerifier(
        { ...serviceProfile, readings: { ...serviceProfile.readings, ecdsaForms } },
        publicKey,
      );
      const signedAs = (dsaEncoding: 'ieee-p1363' | 'der'): string =>
        sign('sha256', text, { key: privateKey, dsaEncoding }).toString('base64');
      const signatures = [signedAs('ieee-p1363'), signedAs('der')];
      expect(signatures.map((signature) => isOf(text.toString(), signature))).toEqual(accepted);
      expect(signatures.map((signature) => isOf('another text', signature))).toEqual([false, false]);
    },
  );

  it('accepts any salt and both forms in the built-in dialects', () => {
    for (const { readings } of [kalshiProfile, serviceProfile])
      expect(readings).toMatchObject({ rsaSalt: 'any', ecdsaForms: 'any' });
  });
});

describe('the signed text', () => {
  it('signs timestamp, method and path from the root, without the query', () => {
    const request = { method: 'GET', path: '/trade-api/v2/portfolio/orders?status=resting' };
    const { signing } = serviceProfile;
    expect(signedText(signing, timestampOf(signing, micros(1_700_000_000_123_456)), request)).toBe(
      '1700000000123GET/trade-api/v2/portfolio/orders',
    );
  });

  it('signs by another template and another unit', () => {
    const signing = { template: '{method}\n{path}\n{timestamp}', timestampUnit: 's' } as const;
    const timestamp = timestampOf(signing, micros(1_700_000_000_999_999));
    expect(signedText(signing, timestamp, { method: 'POST', path: '/a' })).toBe('POST\n/a\n1700000000');
    const odd = { template: 'v1:{path}{path} {other}{method}{', timestampUnit: 's' } as const;
    expect(signedText(odd, timestamp, { method: 'GET', path: '/{a}' })).toBe('v1:/{a}/{a} {other}GET{');
  });
});

describe('the kalshi dialect', () => {
  const { signing } = kalshiProfile;
  const at = micros(1_703_123_456_789_012);

  it('signs milliseconds, method and path from the root without its query', () => {
    const request = { method: 'POST', path: '/trade-api/v2/portfolio/events/orders?market_ticker=A' };
    expect(signedText(signing, timestampOf(signing, at), request)).toBe(
      '1703123456789POST/trade-api/v2/portfolio/events/orders',
    );
    expect(signedText(signing, timestampOf(signing, at), { method: 'GET', path: kalshiProfile.feed.path })).toBe(
      '1703123456789GET/trade-api/ws/v2',
    );
  });

  it('signs with RSA-PSS over SHA-256 with a salt of 32 bytes, in padded base64', async () => {
    const pair = generateKeyPair('rsa-pss-sha256');
    const key = readPrivateKey(pair.privatePem, { scheme: 'rsa-pss-sha256', source: 'test' });
    const signature = await createSigner(signing, key)('text');
    expect(signature).toMatch(/^[A-Za-z0-9+/]{342}==$/);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const isOf = (saltLength: number): boolean =>
      verify(
        'sha256',
        Buffer.from('text'),
        { key: pair.publicPem, padding, saltLength },
        Buffer.from(signature, 'base64'),
      );
    expect([isOf(32), isOf(0), isOf(64)]).toEqual([true, false, false]);
  });

  it('signs with Ed25519 synchronously: 64 raw bytes, in padded base64', () => {
    const pair = generateKeyPair('ed25519');
    const key = readPrivateKey(pair.privatePem, { scheme: 'ed25519', source: 'test' });
    const signature = createSigner(signing, key)('text');
    if (typeof signature !== 'string') throw new Error('promised');
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(verify(null, Buffer.from('text'), pair.publicPem, Buffer.from(signature, 'base64'))).toBe(true);
  });
});

it('leaves the event loop free while many RSA signatures are computed', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
  const sign = createSigner(kalshiProfile.signing, { scheme: 'rsa-pss-sha256', object: privateKey });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turnsAtEach: number[] = [];
  await Promise.all(
    Array.from({ length: 64 }, (_, i) => Promise.resolve(sign(`${i}`)).then(() => turnsAtEach.push(turns))),
  );
  isOver = true;
  // On the event loop, none of its turns would pass between the first and the last.
  expect(new Set(turnsAtEach).size).toBeGreaterThan(1);
});
