// Opens the port on which a bot serves its metrics. Must never read a token from a file that other users may read.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isLoopback, parseListenAddress } from '../../config/listen-address.ts';
import type { Logger } from '../../log.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import type { MetricsServer, MetricsServerOptions } from '../../metrics/metrics-server.ts';
import { UsageError } from '../usage-error.ts';
import type { Supervision } from './supervision.ts';

export interface MetricsPortOptions {
  /** Address from the command line. It replaces the config's. */
  readonly address: string | undefined;
  readonly config: { readonly listen?: string | undefined; readonly tokenFile?: string | undefined };
  readonly supervision: Supervision | null;
  /** Gets the port that was opened: `--metrics 127.0.0.1:0` leaves the choice to the system. */
  readonly log: Logger;
}

const OTHERS_MASK = 0o077;
const TOKEN_CHARACTERS_MIN = 16;

/** The address of a bot's metrics, and the token that a scrape must send. */
export type MetricsPlace = Pick<MetricsServerOptions, 'address' | 'token'>;

/**
 * Opens the port. Returns `null` without an address.
 * @throws {UsageError} when the port or the address of the command line cannot be used, or the bot has no data folder.
 * @throws {ConfigValueFault} when the config's address or token cannot be used.
 */
export async function openMetricsPort({
  supervision,
  log,
  ...options
}: MetricsPortOptions): Promise<MetricsServer | null> {
  const place = readMetricsPlace({ ...options, hasDataFolder: supervision !== null });
  if (place === null || supervision === null) return null;
  const origin = options.address === undefined ? 'metrics.listen' : '--metrics';
  const figures = { bot: supervision.botName, readFigures: () => supervision.readFigures() };
  const server = await openPort({ ...place, ...figures }, origin);
  log.info({ host: place.address.host, port: server.port }, 'the metrics are served');
  return server;
}

/**
 * Reads address and token of the metrics, and opens nothing. Returns `null` without an address.
 * @throws {UsageError} when the address of the command line cannot be used, or the bot has no data folder.
 * @throws {ConfigValueFault} when the config's address or token cannot be used.
 */
export function readMetricsPlace({
  address: given,
  config,
  hasDataFolder,
}: Pick<MetricsPortOptions, 'address' | 'config'> & { readonly hasDataFolder: boolean }): MetricsPlace | null {
  const text = given ?? config.listen;
  if (text === undefined) return null;
  const address = parseListenAddress(text);
  const fault = (expected: string, found: string): Error =>
    given === undefined
      ? new ConfigValueFault({ place: 'metrics.listen', value: text }, expected)
      : new UsageError(`--metrics: expected ${expected}, found ${found}`);
  if (address === null) throw fault('an address and a port, such as 127.0.0.1:9464', text);
  if (!hasDataFolder) throw fault('dataFolder in the config', 'none');
  const token = config.tokenFile === undefined ? null : readToken(config.tokenFile);
  if (token === null && !isLoopback(address))
    throw fault('metrics.tokenFile, or an address of this machine alone, such as 127.0.0.1:9464', text);
  return { address, token };
}

async function openPort(options: MetricsServerOptions, origin: string): Promise<MetricsServer> {
  // The code of metrics is loaded on demand: a hundred files that a bot without a port does not use.
  const { MetricsFault, MetricsServer: Metrics } = await import('../../metrics/metrics-server.ts');
  try {
    return await Metrics.openPort(options);
  } catch (fault) {
    if (fault instanceof MetricsFault) throw new UsageError(`${origin}: ${fault.message}`, { cause: fault });
    throw fault;
  }
}

/** @throws {ConfigValueFault} when the file cannot be read, is open to others, or holds no token. */
function readToken(file: string): string {
  const token = readPrivate(file).trim();
  if (token.length >= TOKEN_CHARACTERS_MIN && !/\s/.test(token)) return token;
  throw tokenFault(file, `a file with one line of at least ${TOKEN_CHARACTERS_MIN} characters without spaces`);
}

const tokenFault = (file: string, expected: string): ConfigValueFault =>
  new ConfigValueFault({ place: 'metrics.tokenFile', value: file }, expected);

function readPrivate(file: string): string {
  let handle: number;
  try {
    // A link could point at a file of another user.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (fault) {
    throw tokenFault(file, `a readable file (${String(fault)})`);
  }
  try {
    if (process.platform !== 'win32' && (fstatSync(handle).mode & OTHERS_MASK) !== 0)
      throw tokenFault(file, 'a file of mode 0600, which no other user may read');
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}
