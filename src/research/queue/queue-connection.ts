// Connections to the queue's Redis server. They are made again for ever after a loss. Must never log an address with
// credentials.
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { UsageError } from '../../app/usage-error.ts';
import type { QueueAddress } from './queue-address.ts';

const RETRY_MS_MAX = 5000;
const CONNECT_MS = 10_000;
/** BullMQ needs the streams and scripts of Redis 6.2. */
const VERSION_MIN = [6, 2] as const;

/** Options of a connection that waits until the server is back. */
export const connectionOptions = ({ host, port, db, username, password, isEncrypted }: QueueAddress) => ({
  replyMapping: 'legacy' as const,
  host,
  port,
  db,
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
  ...(isEncrypted && { tls: isIP(host) === 0 ? { servername: host } : {} }),
  connectTimeout: CONNECT_MS,
  maxRetriesPerRequest: null,
  retryStrategy: (times: number): number => Math.min(50 * 2 ** Math.min(times, 7), RETRY_MS_MAX),
});

/** Makes a connection that is tried once, and whose every answer has to come in time. */
const firstConnection = (address: QueueAddress, answerMs: number): Redis =>
  new Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    connectTimeout: answerMs,
    socketTimeout: answerMs,
    retryStrategy: () => null,
  });

/**
 * Opens a connection, and checks that the server keeps what it is given.
 * @throws {UsageError} when there is no such server, it does not answer, the login is refused, or the server is too old or
 *   may evict keys.
 */
export async function openConnection(address: QueueAddress, answerMs = CONNECT_MS): Promise<Redis> {
  const redis = firstConnection(address, answerMs);
  // The connection's own fault says more than that of the command that waited for it.
  const problems: Error[] = [];
  redis.on('error', (problem) => problems.push(problem));
  try {
    await redis.connect();
    refuseUnfit(await redis.info(), address);
  } catch (fault) {
    redis.disconnect();
    if (fault instanceof UsageError) throw fault;
    const [problem = fault] = problems;
    const text = problem instanceof Error ? problem.message : String(problem);
    const found = foundText(text, address, answerMs);
    throw new UsageError(`queue ${address.text}: expected a Redis server, found: ${found}`, { cause: fault });
  }
  redis.disconnect();
  const lasting = new Redis(connectionOptions(address));
  lasting.on('error', () => undefined);
  return lasting;
}

/** Faults of a connection that the server ends. */
const CLOSED = /^Connection is closed\.$|ECONNRESET|EPIPE|alert certificate required/;
const WITH_TLS = 'a server with TLS has an address with rediss://';
/** Redis asks its clients for a certificate unless it is set not to. */
const CLIENT_CERTIFICATE = 'it may ask its clients for a certificate, unless it is set to `tls-auth-clients no`';
const OWN_AUTHORITY = 'for an authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate';

function foundText(problem: string, { isEncrypted }: QueueAddress, answerMs: number): string {
  if (problem.startsWith('NOAUTH')) return 'a login is needed: PRESAGE_QUEUE_PASSWORD';
  if (CLOSED.test(problem)) return `it closes the connection; ${isEncrypted ? CLIENT_CERTIFICATE : WITH_TLS}`;
  if (isEncrypted && /certificate/.test(problem)) return `${problem}; ${OWN_AUTHORITY}`;
  if (!/ETIMEDOUT|^Socket timeout/.test(problem)) return problem;
  const advice = isEncrypted ? '; a server without TLS has an address with redis://' : '';
  return `no answer within ${answerMs / 1000} s${advice}`;
}

/** Returns true when there is a password, and the server answers without a login: Redis then takes any password in silence. */
export async function needsNoLogin(address: QueueAddress): Promise<boolean> {
  if (address.password === undefined) return false;
  const redis = firstConnection({ ...address, username: undefined, password: undefined }, CONNECT_MS);
  // A server that needs a login refuses.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** A server whose disk is full, or cannot be written, refuses every write with `MISCONF`, and takes them again afterwards. */
const REFUSED_WRITE = /MISCONF/;
const CONNECTION_FAULT = /connection|ECONN|EPIPE|ETIMEDOUT|socket|LOADING|READONLY|Stream isn't writeable/i;

/** True for the fault of a server that cannot write to its disk. */
export const isRefusedWrite = (reason: string): boolean => REFUSED_WRITE.test(reason);

/** True for a fault that passes when the server is back, or can write again. */
export const isPassingFault = (fault: unknown): boolean =>
  fault instanceof Error &&
  (CONNECTION_FAULT.test(fault.message) || CONNECTION_FAULT.test(fault.name) || isRefusedWrite(fault.message));

const WRITE_AGAIN_MS = 1000;

/** Writes, again and again while the server cannot write to its disk: a result may have taken an hour to compute. */
export async function untilWritten(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write();
      return;
    } catch (fault) {
      if (!(fault instanceof Error) || !isRefusedWrite(fault.message)) throw fault;
      await delay(WRITE_AGAIN_MS);
    }
  }
}

/** Names the queue in the fault of a command: the user can correct a refusal, such as for want of memory or permission. */
export function asQueueFault(fault: unknown, { text }: Pick<QueueAddress, 'text'>): unknown {
  if (!(fault instanceof Error) || fault.name !== 'ReplyError') return fault;
  return new UsageError(`queue ${text}: expected a Redis server that takes trials, found: ${fault.message}`, {
    cause: fault,
  });
}

/** Seconds since 1970 by the server's clock, which all machines share. */
export async function serverSeconds(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Number(seconds);
}

/** @throws {UsageError} when a server of this description would lose trials. */
export function refuseUnfit(info: string, { text }: Pick<QueueAddress, 'text'>): void {
  const member = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = member('redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]))
    throw new UsageError(
      `queue ${text}: expected Redis ${VERSION_MIN.join('.')} or later, found ${version || 'no version'}`,
    );
  const policy = member('maxmemory_policy');
  if (policy !== 'noeviction')
    throw new UsageError(
      `queue ${text}: expected maxmemory-policy noeviction, found ${policy || 'none'}: trials could vanish`,
    );
}
