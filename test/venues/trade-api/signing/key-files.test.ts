// Key files: created, read, and refused with helpful messages that never contain a key.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  KeyFault,
  generateKeyPair,
  loadPrivateKey,
  loadPublicKey,
  publicKeyScheme,
  readPublicKey,
  writeKeyPair,
} from '../../../../src/venues/trade-api/signing/key-files.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-keys-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const p256 = generateKeyPair('ecdsa-p256');
const put = (name: string, text: string, mode = 0o600): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
};

describe('a key pair', () => {
  it('writes a key pair for its owner only, and reads it back', () => {
    const { privateFile, publicFile } = writeKeyPair(join(folder, 'made'), p256);
    expect(statSync(privateFile).mode & 0o777).toBe(0o600);
    expect(publicFile).toBe(`${privateFile}.pub`);
    expect(loadPrivateKey(privateFile, ['ecdsa-p256']).object.type).toBe('private');
  });

  it('reads a public key from its file, and nothing else', () => {
    const { privateFile, publicFile } = writeKeyPair(join(folder, 'halves'), p256);
    expect(loadPublicKey(publicFile, 'ecdsa-p256').type).toBe('public');
    expect(() => loadPublicKey(privateFile, 'ecdsa-p256')).toThrow('found a private one');
    expect(() => loadPublicKey(join(folder, 'nowhere.pub'), 'ecdsa-p256')).toThrow('does not exist');
  });

  it('never overwrites a key', () => {
    const file = put('taken', 'something');
    expect(() => writeKeyPair(file, p256)).toThrow('a key is never overwritten');
    put('half.pub', 'something');
    expect(() => writeKeyPair(join(folder, 'half'), p256)).toThrow('a key is never overwritten');
  });

  it.each(['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519', 'rsa-pss-sha256'] as const)('reads a key of %s', (scheme) => {
    const pair = generateKeyPair(scheme);
    expect(loadPrivateKey(put(scheme, pair.privatePem), [scheme]).scheme).toBe(scheme);
    expect(readPublicKey(pair.publicPem, { scheme, source: 'pem' }).type).toBe('public');
  });
});

const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

describe('an unusable private key', () => {
  const secret = p256.privatePem.split('\n')[1] ?? '';
  const cases: readonly (readonly [string, () => string, string])[] = [
    ['missing', () => join(folder, 'nowhere'), 'does not exist'],
    ['a folder', () => folder, 'expected a file, found something else'],
    ['readable by the group', () => put('group', p256.privatePem, 0o640), 'expected mode 600, found 640'],
    ['readable by all', () => put('all', p256.privatePem, 0o644), 'expected mode 600, found 644'],
    ['encrypted', () => put('locked', encrypted), 'is encrypted'],
    ['empty', () => put('empty', ''), 'expected PEM'],
    ['garbage', () => put('garbage', `${secret} garbage`), 'expected PEM'],
    ['broken', () => put('broken', p256.privatePem.replace(secret, secret.slice(0, 20))), 'its PEM is broken'],
    ['the public key', () => put('public', p256.publicPem), 'expected a private key'],
    ['of another curve', () => put('k1', generateKeyPair('ecdsa-secp256k1').privatePem), 'found ec on secp256k1'],
    ['of another type', () => put('rsa', generateKeyPair('rsa-pss-sha256').privatePem), 'found rsa'],
  ];
  it.each(cases)('refuses a private key and says why: %s', (_what, make, message) => {
    const file = make();
    try {
      loadPrivateKey(file, ['ecdsa-p256']);
      expect.unreachable();
    } catch (fault) {
      expect(fault).toBeInstanceOf(KeyFault);
      expect(String(fault)).toContain(file);
      expect(String(fault)).toContain(message);
      expect(String(fault)).not.toContain(secret.slice(0, 20));
    }
  });

  it.each([
    ['a private one', p256.privatePem, 'found a private one'],
    ['garbage', 'garbage', 'expected PEM in SPKI'],
    ['one of another curve', generateKeyPair('ecdsa-secp256k1').publicPem, 'found ec on secp256k1'],
  ])('refuses a public key and says why: %s', (_what, pem, message) => {
    expect(() => readPublicKey(pem, { scheme: 'ecdsa-p256', source: 'config' })).toThrow(message);
  });
});

describe('a key of a dialect with several schemes', () => {
  const { schemes } = kalshiProfile.signing;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

  it.each([
    ['RSA in PKCS#8', String(rsa.export({ type: 'pkcs8', format: 'pem' })), 'rsa-pss-sha256'],
    ['RSA in PKCS#1', String(rsa.export({ type: 'pkcs1', format: 'pem' })), 'rsa-pss-sha256'],
    ['Ed25519', generateKeyPair('ed25519').privatePem, 'ed25519'],
  ])('signs by the scheme of the key’s own type: %s', (_, pem, scheme) => {
    expect(loadPrivateKey(put(`several-${scheme}`, pem), schemes).scheme).toBe(scheme);
  });

  it('names all allowed key types in a refusal', () => {
    const file = put('several-p256', p256.privatePem);
    expect(() => loadPrivateKey(file, schemes)).toThrow(
      `key ${file}: expected an RSA key or an Ed25519 key, found ec on prime256v1`,
    );
  });

  it('refuses an RSA key that is too short', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const file = put('short', String(short.export({ type: 'pkcs8', format: 'pem' })));
    expect(() => loadPrivateKey(file, schemes)).toThrow('expected an RSA key of 2048 bits or more, found one of 1024');
  });

  it('finds the scheme of a public key', () => {
    const options = { schemes, source: 'its file' };
    expect(publicKeyScheme(generateKeyPair('ed25519').publicPem, options)).toBe('ed25519');
    expect(() => publicKeyScheme(p256.publicPem, options)).toThrow('expected an RSA key or an Ed25519 key');
    expect(() => publicKeyScheme(p256.privatePem, options)).toThrow('found a private one');
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
})();

it.runIf(hasOpenssl)('openssl reads a generated key pair', () => {
  const file = put('for-openssl', p256.privatePem);
  const text = execFileSync('openssl', ['pkey', '-in', file, '-noout', '-text_pub']).toString();
  expect(text).toContain('prime256v1');
});
