// Reads where the queue of trials is, and how to log in. Credentials come from the environment alone. Must never put a
// password into a text that is shown.
import { z } from 'zod';
import { UsageError } from '../../app/usage-error.ts';

/** The address of the Redis server, as its client takes it. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly isEncrypted: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Signs what is put into the queue, so that only those who know it can take part. */
  readonly secret: string;
  /** The address without credentials. */
  readonly text: string;
}

/** Says that those who were expected at a queue are there with another secret alone. */
export const otherSecretText = (
  { text }: QueueAddress,
  { expected, found }: { readonly expected: 'an open study' | 'a worker'; readonly found: number },
): string =>
  `queue ${text}: expected ${expected} with this PRESAGE_QUEUE_SECRET, found ${found} with another; a study and its workers have the same secret`;

/** The variables that are read. */
export type QueueEnvironment = Readonly<Record<string, string | undefined>>;

const URL_NAME = 'PRESAGE_QUEUE_URL';
const USER_NAME = 'PRESAGE_QUEUE_USER';
const PASSWORD_NAME = 'PRESAGE_QUEUE_PASSWORD';
const SECRET_NAME = 'PRESAGE_QUEUE_SECRET';
const SECRET_LENGTH_MIN = 16;
const REDIS_PORT = 6379;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const urlSchema = z.url({ protocol: /^rediss?$/ });

/**
 * Reads the address. `--queue` wins over `PRESAGE_QUEUE_URL`.
 * @param flag the value of `--queue`.
 * @throws {UsageError} when there is no address, `--queue` contains a password, the connection would cross a network
 *   without encryption, or the secret is absent or shorter than 16 characters.
 */
export function queueAddress(flag: string | undefined, environment: QueueEnvironment): QueueAddress {
  const source = flag === undefined ? URL_NAME : '--queue';
  const url = parsedUrl(flag ?? environment[URL_NAME], source);
  if (flag !== undefined && (url.password !== '' || url.username !== ''))
    throw new UsageError(
      `--queue: expected an address without credentials, because other users see a command line; set ${USER_NAME} and ${PASSWORD_NAME}`,
    );
  const isEncrypted = url.protocol === 'rediss:';
  const { hostname } = url;
  const text = `${url.protocol}//${url.host}${url.pathname}`;
  if (!isEncrypted && !LOOPBACK.test(hostname))
    throw new UsageError(`${source}: expected rediss:// for a server on another machine, found ${text}`);
  const secret = environment[SECRET_NAME] ?? '';
  if (secret.length < SECRET_LENGTH_MIN)
    throw new UsageError(
      `${SECRET_NAME}: expected the secret of this queue, ${SECRET_LENGTH_MIN} characters or more, the same for the study and its workers; ${secret === '' ? 'found none' : 'it is shorter'}`,
    );
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? REDIS_PORT : Number(url.port),
    db: databaseOf(url, source),
    isEncrypted,
    username: environment[USER_NAME] ?? credential(url.username, source),
    password: environment[PASSWORD_NAME] ?? credential(url.password, source),
    secret,
    text,
  };
}

/** The text is not shown: it may be a password. */
function credential(text: string, source: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch (cause) {
    throw new UsageError(`${source}: expected credentials with %25 for each percent sign, found a lone one`, { cause });
  }
}

/** The address is not shown: it may contain a password. */
function parsedUrl(text: string | undefined, source: string): URL {
  const parsed = urlSchema.safeParse(text);
  if (parsed.success && URL.canParse(parsed.data)) return new URL(parsed.data);
  const found = text === undefined ? 'found none' : 'found something else';
  throw new UsageError(`${source}: expected an address such as redis://127.0.0.1:6379, ${found}`);
}

function databaseOf({ pathname }: URL, source: string): number {
  const text = pathname.replace(/^\//, '');
  if (/^\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`${source}: expected the number of a database after the port, found ${JSON.stringify(text)}`);
}
