// Fields for secrets: a config names the file or the environment variable of a secret, and never holds the secret
// itself. Must never quote a refused value.
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { isUnencryptedRemote } from './addresses.ts';

/** The expectation of every field for a secret. An error that begins with this text does not show the refused value. */
export const SECRET_EXPECTED = 'a secret outside this file: { file: <path> } or { environment: <NAME> }';

const PATH_MAX = 1024;

/** The file of a secret. */
const secretFile = z.strictObject({
  /** File that holds the secret and nothing else, relative to the config. Only its owner may be able to read it. */
  file: z
    .string({ error: SECRET_EXPECTED })
    .min(1)
    .max(PATH_MAX)
    .refine((path) => !path.includes('://'), { error: SECRET_EXPECTED }),
});

/** The environment variable of a secret. */
const secretVariable = z.strictObject({
  /** Environment variable that holds the secret. */
  environment: z.string({ error: SECRET_EXPECTED }).regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: SECRET_EXPECTED }),
});

/** The place of a secret. */
export const secretField = z.union(
  [
    /** A file that holds the secret and nothing else, relative to the config. Only its owner may be able to read it. */
    secretFile,
    /** An environment variable that holds the secret. */
    secretVariable,
  ],
  { error: SECRET_EXPECTED },
);

/** The place of a secret. Its path is absolute once the config was read. */
export type SecretPlace = z.output<typeof secretField>;

/** An address without a secret: without user, password, query and fragment. */
export const plainAddress = z.string().refine((text) => isAllowedAddress(text) && /^[^?#@]+$/.test(text), {
  error: `${SECRET_EXPECTED}; or https://, or http:// to this machine, without user, query and fragment`,
});

/** An address, or the place of a secret address. */
export const addressField = z.union(
  [
    plainAddress,
    /** A file that holds the address. Only its owner may be able to read it. */
    secretFile,
    /** An environment variable that holds the address. */
    secretVariable,
  ],
  { error: `${SECRET_EXPECTED}; or https://, or http:// to this machine, without user, query and fragment` },
);

/** Alerts may be sent to the address: it is encrypted, or on this machine. */
export function isAllowedAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  return ['https:', 'http:'].includes(new URL(text).protocol) && !isUnencryptedRemote(text);
}

/** Returns the place of a secret with an absolute path. */
export const absolutePlace = (place: SecretPlace, folder: string): SecretPlace =>
  'file' in place && !isAbsolute(place.file) ? { file: resolve(folder, place.file) } : place;
