// Reads the secrets that a config names, from private files or from the environment. Must never put a byte of a secret
// into an error.
import { readFileSync, statSync } from 'node:fs';
import { type SecretPlace, isAllowedAddress } from '../../config/secret-field.ts';

/** Thrown when a secret cannot be used. The message names the place of the secret only. */
export class SecretFault extends Error {
  override readonly name = 'SecretFault';
}

const OTHERS_MASK = 0o077;
/** Longest secret. Characters. */
const SECRET_MAX = 4096;
/** A shorter text is too common to be hidden wherever it occurs. Characters. */
const HIDDEN_MIN = 4;

/**
 * Reads a secret.
 * @throws {SecretFault} when the secret is missing, empty, too long, or readable by others.
 */
export function readSecret(place: SecretPlace): string {
  const source = 'file' in place ? place.file : `the environment variable ${place.environment}`;
  const value = ('file' in place ? readSecretFile(place.file) : (process.env[place.environment] ?? '')).trim();
  if (value === '') throw new SecretFault(`${source}: expected a secret, found nothing`);
  if (value.length > SECRET_MAX || /\p{Cc}/u.test(value))
    throw new SecretFault(`${source}: expected a secret of one line of at most ${SECRET_MAX} characters`);
  return value;
}

function readSecretFile(file: string): string {
  try {
    const { mode } = statSync(file);
    if ((mode & OTHERS_MASK) !== 0)
      throw new SecretFault(`${file}: expected a file that only its owner can read: chmod 600 it`);
    return readFileSync(file, 'utf8');
  } catch (fault) {
    if (fault instanceof SecretFault) throw fault;
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'an error';
    throw new SecretFault(`${file}: expected a readable file with a secret, found ${code}`, { cause: fault });
  }
}

/**
 * Reads an address that may be a secret.
 * @throws {SecretFault} when the secret cannot be used, or is not an allowed address.
 */
export function readAddress(place: SecretPlace | string): string {
  if (typeof place === 'string') return place;
  const address = readSecret(place);
  if (isAllowedAddress(address)) return address;
  const source = 'file' in place ? place.file : `the environment variable ${place.environment}`;
  throw new SecretFault(`${source}: expected an address with https://, or http:// to this machine`);
}

/** Replaces secrets in a text, also in the forms of addresses and JSON. */
export function hideSecretValues(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= HIDDEN_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length).reduce(hideOne, text);
}

const hideOne = (text: string, secret: string): string => text.replaceAll(secret, '[secret]');
