// The local exchange as a server: opens the exchange, its flow and its two doors, and closes them again.
// Must never listen beyond this machine unless told to.
import { type Server, createServer } from 'node:http';
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { assert } from '../../domain/assert.ts';
import { type Logger, logTo } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import { openExchange, startFlow, systemClock } from '../driver.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { LedgerView } from '../output.ts';
import type { Clock, ExchangeSession } from '../session.ts';
import { SignatureAuthentication } from './authentication.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { FeedDoor } from './feed-door.ts';
import { type Hall, openHall } from './hall.ts';
import { openHttpDoor } from './http-door.ts';
import { type KeyRegistration, openKeyring } from './keyring.ts';
import { assertTellable } from './tellable.ts';
import type { Counts } from './tally.ts';

export type { Counts, Faults, KeyRegistration };

/** What a local exchange is started with. */
export interface ExchangeServerOptions {
  readonly config: ExchangeConfig;
  /** The wire it speaks. */
  readonly profile: WireProfile;
  /** Instead of the config's; 0 for any that is free. */
  readonly port?: number;
  /** 127.0.0.1 unless told otherwise. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Further keys of the config's accounts. */
  readonly keys?: readonly KeyRegistration[];
  readonly faults?: Faults;
  /** Bytes that may wait for one reader of the feed. */
  readonly feedBufferMax?: number;
}

/** What a server can say of itself. */
export interface ExchangeSummary extends Counts {
  readonly url: string;
  readonly feedUrl: string;
  /** Open feed connections. */
  readonly feeds: number;
  readonly ledger: LedgerView;
}

/** A local exchange that runs. */
export interface RunningExchange {
  /** Where requests go, without the profile's base path: `http://127.0.0.1:1234`. */
  readonly url: string;
  /** Where the feed is, without the profile's path: `ws://127.0.0.1:1234`. */
  readonly feedUrl: string;
  /** The exchange itself, to be read. */
  readonly exchange: ExchangeReader;
  /** The one door to it, for what only its operator may ask. */
  readonly session: ExchangeSession;
  /** The truth about everyone's money. */
  ledger(): LedgerView;
  summary(): ExchangeSummary;
  /** Turns everyone away, closes every connection and the log. Resolves when nothing is left running. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Longer than any client keeps an idle connection: a server that closes first makes requests fail in flight. */
const IDLE_MS = 120_000;
/** How often connections are looked at while closing, and how long they get. */
const SWEEP_MS = 10;
const GOODBYE_MS = 1000;
const FEED_BUFFER_MAX = 4_000_000;
const SILENT = logTo({ write: () => undefined }, 'silent');

/**
 * Starts a local exchange.
 * @throws {KeyFault} when a public key cannot be read.
 * @throws {KeyringError} when keys do not fit together.
 * @throws {UntellableError} when the profile cannot spell the prices or quantities of a market.
 * @throws {ListingError} when the exchange refuses what the config lists.
 * @throws {StoreError} when its log cannot be read or written.
 * @throws {ListenError} when the port is taken.
 */
export async function startExchange(options: ExchangeServerOptions): Promise<RunningExchange> {
  const { config, profile, clock = systemClock, keys = [], faults = NO_FAULTS, log = SILENT } = options;
  const keyring = openKeyring(config.accounts, { signing: profile.signing, extra: keys });
  assertTellable(config, profile);
  const session = openExchange(config, { clock });
  const authentication = new SignatureAuthentication(profile.signing, keyring);
  const hall = openHall({ session, profile, authentication, limits: config.limits, faults, log });
  const server = createServer({ keepAliveTimeout: IDLE_MS });
  server.on('request', openHttpDoor(hall));
  const feedDoor = new FeedDoor(server, { hall, log, bufferMax: options.feedBufferMax ?? FEED_BUFFER_MAX });
  try {
    await listen(server, options);
  } catch (error) {
    await feedDoor.close();
    session.close();
    throw error;
  }
  return running(options, { server, session, hall, feedDoor });
}

/** The exchange cannot listen where it was told to. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function listen(server: Server, { config, port = config.port, host = HOST }: ExchangeServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'the port is taken' : (error.code ?? error.message);
      reject(new ListenError(`cannot listen on ${host}:${port}: ${why}`, { cause: error }));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

interface Parts {
  readonly server: Server;
  readonly session: ExchangeSession;
  readonly hall: Hall;
  readonly feedDoor: FeedDoor;
}

function running(options: ExchangeServerOptions, parts: Parts): RunningExchange {
  const { server, session, hall } = parts;
  const { exchange } = session;
  const at = server.address();
  assert(typeof at === 'object' && at !== null, 'a server that listens on a port has an address');
  const url = `http://${at.address}:${at.port}`;
  const feedUrl = `ws://${at.address}:${at.port}`;
  const flow = startFlow(session, options.config);
  options.log?.info({ url, feedUrl, profile: options.profile.name, markets: exchange.markets().length }, 'exchange up');
  let stopped: Promise<void> | null = null;
  const ledger = (): LedgerView => exchange.ledger();
  return {
    url,
    feedUrl,
    exchange,
    session,
    ledger,
    summary: () => ({ url, feedUrl, feeds: hall.feeds, ...hall.tally.counts(), ledger: ledger() }),
    stop: () => (stopped ??= stop(parts, () => flow.stop())),
  };
}

async function stop({ server, session, hall, feedDoor }: Parts, stopFlow: () => void): Promise<void> {
  stopFlow();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Answers that are under way are finished; connections that then are idle, closed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const force = setTimeout(() => server.closeAllConnections(), GOODBYE_MS);
  server.closeIdleConnections();
  const feedsClosed = feedDoor.close();
  hall.close();
  await feedsClosed;
  await closed;
  clearInterval(sweep);
  clearTimeout(force);
  session.close();
}
