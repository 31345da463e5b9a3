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
import { Allowances } from './allowances.ts';
import { Audience } from './audience.ts';
import { Authentication } from './authentication.ts';
import type { LimitsInForce } from './call.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { FeedDoor } from './feed-door.ts';
import { openHttpDoor } from './http-door.ts';
import { type KeyRegistration, type Keyring, openKeyring } from './keyring.ts';
import { Reception } from './reception.ts';
import { assertTellable } from './tellable.ts';
import { type Counts, Tally } from './tally.ts';
import { Teller } from './teller.ts';

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
  const { config, profile, clock = systemClock, keys = [] } = options;
  const keyring = openKeyring(config.accounts, { signing: profile.signing, extra: keys });
  assertTellable(config, profile);
  const session = openExchange(config, clock);
  const tally = new Tally();
  const room = {
    feed: profile.feed,
    exchange: session.exchange,
    teller: new Teller(profile),
    audience: new Audience(),
  };
  const server = createServer({ keepAliveTimeout: IDLE_MS });
  const doors = openDoors(server, { options, keyring, session, tally, room });
  session.listen(({ facts }) => {
    for (const fact of facts) {
      if (fact.type === 'fill') tally.fills++;
      if (fact.type === 'print') tally.prints++;
      const told = room.teller.tell(fact);
      if (told !== null) room.audience.publish(told);
    }
  });
  try {
    await listen(server, options);
  } catch (error) {
    await doors.feedDoor.close();
    session.close();
    throw error;
  }
  return running(options, { server, session, tally, ...doors });
}

interface Doors {
  readonly reception: Reception;
  readonly feedDoor: FeedDoor;
}

interface Inside {
  readonly options: ExchangeServerOptions;
  readonly keyring: Keyring;
  readonly session: ExchangeSession;
  readonly tally: Tally;
  readonly room: ConstructorParameters<typeof FeedDoor>[1]['room'];
}

function openDoors(server: Server, { options, keyring, session, tally, room }: Inside): Doors {
  const { config, profile, log = SILENT, faults = NO_FAULTS, feedBufferMax: bufferMax = FEED_BUFFER_MAX } = options;
  const limits = limitsOf(config, profile);
  const allowances = new Allowances(limits);
  const authentication = new Authentication(profile.signing, keyring);
  const reception = new Reception({ session, profile, limits, authentication, allowances, log });
  const now = (): ReturnType<Clock> => session.now();
  const date = dateHeader(now);
  server.on('request', openHttpDoor({ profile, reception, faults, tally, log, date }));
  const shared = { profile, authentication, allowances, faults, tally, log, now, date };
  return { reception, feedDoor: new FeedDoor(server, { ...shared, room, bufferMax }) };
}

/** The profile's limits, as far as the config does not replace them. */
const limitsOf = ({ limits }: ExchangeConfig, profile: WireProfile): LimitsInForce => ({
  read: limits.read ?? profile.limits.read,
  trade: limits.trade ?? profile.limits.trade,
  feed: limits.feed ?? profile.limits.feed,
});

/** The date by the exchange's clock, written once a second. */
function dateHeader(now: Clock): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(now() / 1_000_000);
    if (current !== second) {
      second = current;
      text = new Date(current * 1000).toUTCString();
    }
    return text;
  };
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

interface Parts extends Doors {
  readonly server: Server;
  readonly session: ExchangeSession;
  readonly tally: Tally;
}

function running(options: ExchangeServerOptions, parts: Parts): RunningExchange {
  const { server, session, tally, feedDoor } = parts;
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
    summary: () => ({ url, feedUrl, feeds: feedDoor.size, ...tally.counts(), ledger: ledger() }),
    stop: () => (stopped ??= stop(parts, () => flow.stop())),
  };
}

async function stop({ server, session, reception, feedDoor }: Parts, stopFlow: () => void): Promise<void> {
  stopFlow();
  reception.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Answers that are under way are finished; connections that then are idle, closed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const force = setTimeout(() => server.closeAllConnections(), GOODBYE_MS);
  server.closeIdleConnections();
  await feedDoor.close();
  await closed;
  clearInterval(sweep);
  clearTimeout(force);
  session.close();
}
