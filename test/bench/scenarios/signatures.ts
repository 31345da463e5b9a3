// Signatures per second, one after the other: our signers, and the platform's with the key parsed once or each time. It
// is the cost of a request without a prepared signature.
import { createPrivateKey, sign } from 'node:crypto';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import type { SigningScheme } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type Signer, createSigner } from '../../../src/venues/trade-api/signing/signers.ts';
import type { Figures, Scenario } from '../scenario.ts';

const WARM_MS = 300;
const MEASURE_MS = 1000;

/** Texts as long as a request's: timestamp, method and path. */
const textOf = (count: number): string => `${1_760_000_000_000 + count}POST/trade-api/v2/portfolio/orders`;

async function rate(signer: Signer): Promise<Figures> {
  await signFor(signer, WARM_MS);
  return { signaturesPerSecond: await signFor(signer, MEASURE_MS) };
}

async function signFor(signer: Signer, durationMs: number): Promise<number> {
  const begun = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < durationMs) {
    const signed = signer(textOf(count));
    // A synchronous signer is not measured with a turn of the event loop.
    if (signed instanceof Promise) await signed;
    count += 1;
    elapsedMs = performance.now() - begun;
  }
  return (count * 1000) / elapsedMs;
}

function ours(scheme: SigningScheme): Promise<Figures> {
  const { privatePem } = generateKeyPair(scheme);
  return rate(
    createSigner({ ...serviceProfile.signing, scheme }, readPrivateKey(privatePem, { scheme, source: scheme })),
  );
}

export const signP256: Scenario = {
  name: 'sign-p256',
  what: 'signatures by our signer, P-256 of @noble/curves',
  run: () => ours('ecdsa-p256'),
};

export const signSecp256k1: Scenario = {
  name: 'sign-secp256k1',
  what: 'signatures by our signer, secp256k1 of @noble/curves',
  run: () => ours('ecdsa-secp256k1'),
};

export const signEd25519: Scenario = {
  name: 'sign-ed25519',
  what: 'signatures by our signer, Ed25519 of @noble/curves',
  run: () => ours('ed25519'),
};

export const signRsa: Scenario = {
  name: 'sign-rsa',
  what: 'signatures by our signer, RSA of 2048 bits on the platform’s threads',
  run: () => ours('rsa-pss-sha256'),
};

export const signPlatform: Scenario = {
  name: 'sign-platform',
  what: 'signatures by node:crypto, P-256, key parsed once',
  run() {
    const key = createPrivateKey(generateKeyPair('ecdsa-p256').privatePem);
    return rate((text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64'));
  },
};

export const signPlatformPem: Scenario = {
  name: 'sign-platform-pem',
  what: 'signatures by node:crypto, P-256, PEM parsed for every one',
  run() {
    const key = generateKeyPair('ecdsa-p256').privatePem;
    return rate((text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64'));
  },
};
