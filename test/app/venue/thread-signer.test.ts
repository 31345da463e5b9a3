// Signatures made on a thread and by the platform: valid by other code, in every scheme, and made here when the thread
// fails.
import { readFileSync } from 'node:fs';
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { Authorizer } from '../../../src/venues/trade-api/signing/authorizer.ts';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import {
  createPlatformSigner,
  createSigner,
  createVerifier,
  isValidByNoble,
} from '../../../src/venues/trade-api/signing/signers.ts';
import { ThreadSigner } from '../../../src/venues/trade-api/signing/thread-signer.ts';
import { micros } from '../../../src/domain/units.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';

const { id } = JSON.parse(readFileSync('dist/builds/newest.json', 'utf8')) as { readonly id: string };
const PROGRAM = pathToFileURL(join('dist/builds', id, 'src/venues/trade-api/signing/signing-thread.js'));
const SCHEMES = ['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519'] as const;

const signers: ThreadSigner[] = [];
afterEach(() => {
  for (const signer of signers.splice(0)) signer.stop();
});

function partsOf(scheme: (typeof SCHEMES)[number], form: 'compact' | 'der' = 'compact') {
  const { privatePem, publicPem } = generateKeyPair(scheme);
  const signing = { ...serviceProfile.signing, scheme, form };
  const key = readPrivateKey(privatePem, { scheme, source: 'test' });
  const verify = createVerifier({ ...serviceProfile, signing }, createPublicKey(publicPem));
  return { signing, key, verify };
}

function threadOf(parts: Pick<ReturnType<typeof partsOf>, 'signing' | 'key'>, program = PROGRAM): ThreadSigner {
  const signer = new ThreadSigner({ ...parts, program });
  signers.push(signer);
  return signer;
}

describe('a thread that signs', () => {
  it.each(SCHEMES)('gives the signatures of the event loop, each to its text: %s', async (scheme) => {
    const parts = partsOf(scheme);
    const { sign } = threadOf(parts);
    const here = createSigner(parts.signing, parts.key);
    const texts = Array.from({ length: 20 }, (_, number) => `${number}POST/orders`);
    const made = texts.map(async (text) => [text, await sign(text)]);
    expect(await Promise.all(made)).toEqual(texts.map((text) => [text, here(text)]));
  });

  it('leaves its texts to the event loop when it cannot start', async () => {
    const parts = partsOf('ecdsa-p256');
    const { sign } = threadOf(parts, new URL('./no-such-program.js', PROGRAM));
    for (const text of ['a', 'b']) expect(parts.verify(text, await sign(text))).toBe(true);
  });

  it('leaves its texts to the event loop when it is stopped meanwhile', async () => {
    const parts = partsOf('ecdsa-p256');
    const signer = threadOf(parts);
    const signatures = ['a', 'b'].map(signer.sign);
    signer.stop();
    expect(parts.verify('a', await signatures[0]!)).toBe(true);
    expect(parts.verify('b', await signatures[1]!)).toBe(true);
    expect(parts.verify('c', await signer.sign('c'))).toBe(true);
  });
});

describe('the platform’s signatures', () => {
  it.each(SCHEMES.flatMap((scheme) => (['compact', 'der'] as const).map((form) => [scheme, form] as const)))(
    'are valid by other code: %s, %s',
    async (scheme, form) => {
      const { signing, key, verify } = partsOf(scheme, form);
      const sign = createPlatformSigner(signing, key);
      for (let number = 0; number < 8; number++) {
        const text = `${number}POST/orders`;
        const signature = await sign(text);
        expect(isValidByNoble(signing, key, [text, signature])).toBe(true);
        expect(isValidByNoble(signing, key, [`${text}x`, signature])).toBe(false);
        expect(verify(text, signature)).toBe(true);
      }
    },
  );

  it.each([
    ['ecdsa-p256', 'string'],
    ['ed25519', 'string'],
    ['ecdsa-secp256k1', 'object'],
  ] as const)('come at once where the platform is quick: %s', async (scheme, type) => {
    const { signing, key } = partsOf(scheme);
    const signature = createPlatformSigner(signing, key)('POST/orders');
    expect(typeof signature).toBe(type);
    await signature;
  });

  it('are prepared like others, and checked first', async () => {
    const { key, verify } = partsOf('ecdsa-p256');
    const request = { method: 'POST', path: '/orders' };
    const authorizer = new Authorizer({
      profile: serviceProfile,
      credential: { keyId: 'key', privateKey: key },
      venueNow: () => micros(1_700_000_000_000_000),
      prepared: [request],
      scheduler: new FakeScheduler(),
      place: 'platform',
    });
    await authorizer.warm();
    const headers = authorizer.headersOf(request);
    if (headers instanceof Promise) throw new Error('no signature was ready');
    expect(verify(`${headers['ACCESS-TIMESTAMP']}POST/orders`, headers['ACCESS-SIGNATURE'] ?? '')).toBe(true);
    authorizer.stop();
  });
});
