// Connections to the queue's Redis server. They are made again for ever after a loss. Must never log an address with
// credentials.
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
  ...(isEncrypted && { tls: { servername: host } }),
  connectTimeout: CONNECT_MS,
  maxRetriesPerRequest: null,
  retryStrategy: (times: number): number => Math.min(50 * 2 ** Math.min(times, 7), RETRY_MS_MAX),
});

/**
 * Opens a connection, and checks that the server keeps what it is given.
 * @throws {UsageError} when there is no such server, the login is refused, or the server is too old or may evict keys.
 */
export async function openConnection(address: QueueAddress): Promise<Redis> {
  const redis = new Redis({ ...connectionOptions(address), lazyConnect: true, retryStrategy: () => null });
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
    const reason = text.startsWith('NOAUTH') ? 'a login is needed: PRESAGE_QUEUE_PASSWORD' : text;
    throw new UsageError(`queue ${address.text}: expected a Redis server, found: ${reason}`, { cause: fault });
  }
  redis.disconnect();
  const lasting = new Redis(connectionOptions(address));
  lasting.on('error', () => undefined);
  return lasting;
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
