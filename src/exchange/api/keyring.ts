// Public keys of callers: the account of each, and the verifier of its signatures. Must never be given a private key.
import type { KeyObject } from 'node:crypto';
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { loadPublicKey, readPublicKey } from '../../venues/trade-api/signing/key-files.ts';
import type { SigningScheme, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import {
  type CheckedKey,
  type Verifier,
  createVerifier,
  signatureTerms,
} from '../../venues/trade-api/signing/signers.ts';
import type { AccountName } from '../machine/exchange-input.ts';

/** A key to register. */
export interface KeyRegistration {
  readonly id: string;
  readonly account: AccountName;
  readonly scheme: SigningScheme;
  /** The public key, as PEM in SPKI. */
  readonly publicPem: string;
}

/** A registered key: its account and the check of its signatures. */
export interface KnownKey {
  readonly id: string;
  readonly account: AccountName;
  readonly verify: Verifier;
  /** The same check as plain data, for another thread. */
  readonly checked: CheckedKey;
}

interface ParsedKey extends Omit<KnownKey, 'verify' | 'checked'> {
  readonly scheme: SigningScheme;
  readonly object: KeyObject;
}

/** The error of keys that conflict with each other, with the config or with the dialect. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError';
}

/** The registered keys by id. */
export type Keyring = ReadonlyMap<string, KnownKey>;

/**
 * Registers the keys of the config's accounts and additional keys.
 * @throws {KeyFault} when a key cannot be read, or does not fit its scheme.
 * @throws {KeyringError} when an id is taken, an account is not in the config, or the dialect does not support the
 *   scheme.
 */
export function openKeyring(
  accounts: ExchangeConfig['accounts'],
  { profile, extra }: { readonly profile: WireProfile; readonly extra: readonly KeyRegistration[] },
): Keyring {
  const { signing, readings } = profile;
  const keys = new Map<string, KnownKey>();
  const add = ({ scheme, object, ...key }: ParsedKey): void => {
    if (keys.has(key.id)) throw new KeyringError(`key ${key.id}: expected an id not used before`);
    if (!signing.schemes.includes(scheme))
      throw new KeyringError(`key ${key.id}: expected one of ${signing.schemes.join(', ')}, found ${scheme}`);
    const terms = { signing: { ...signing, scheme }, readings };
    const checked = { key: object, ...signatureTerms(terms) };
    keys.set(key.id, { ...key, verify: createVerifier(terms, object), checked });
  };
  for (const { name, keys: configured } of accounts) {
    for (const { id, scheme, publicKey, publicKeyFile } of configured) {
      const object =
        publicKeyFile === undefined
          ? readPublicKey(publicKey ?? '', { scheme, source: `of ${id}` })
          : loadPublicKey(publicKeyFile, scheme);
      add({ id, account: name, scheme, object });
    }
  }
  for (const { id, account, scheme, publicPem } of extra) {
    if (!accounts.some(({ name }) => name === account))
      throw new KeyringError(`key ${id}: expected an account of the config, found ${account}`);
    const object = readPublicKey(publicPem, { scheme, source: `of ${id}` });
    add({ id, account, scheme, object });
  }
  return keys;
}
