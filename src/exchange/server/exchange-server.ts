// The local exchange as a server: opens the exchange and its two doors, lets what is planned go wrong, and closes them.
// Must never listen beyond this machine unless told to.
import { type Server, createServer } from 'node:http';
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { assert } from '../../domain/assert.ts';
import { type Micros, micros } from '../../domain/units.ts';
import { type Logger, logTo } from '../../log.ts';
import { type WireProfile, withReadings } from '../../venues/trade-api/profile.ts';
import { type SetTimer, idleTimer, saltOf, systemClock, systemTimer } from '../driver.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { LedgerView } from '../output.ts';
import type { Clock, ExchangeSession } from '../session.ts';
import { memoryStore } from '../store.ts';
import { SignatureAuthentication } from './authentication.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { Incidents } from './faults/incidents.ts';
import { PlannedFaults, lagMaxOf } from './faults/planned-faults.ts';
import { FeedDoor } from './feed-door.ts';
import { openHttpDoor } from './http-door.ts';
import { type KeyRegistration, openKeyring } from './keyring.ts';
import { Standing } from './standing.ts';
import { assertTellable } from './tellable.ts';
import { type Counts, Tally } from './tally.ts';

export type { Counts, Faults, KeyRegistration };

/** What a local exchange is started with. */
export interface ExchangeServerOptions {
  readonly config: ExchangeConfig;
  /** The wire it speaks; the config may replace its readings. */
  readonly profile: WireProfile;
  /** Instead of the config's; 0 for any that is free. */
  readonly port?: number;
  /** 127.0.0.1 unless told otherwise. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Further keys of the config's accounts. */
  readonly keys?: readonly KeyRegistration[];
  /** In place of the config's plan, on requests and on the feed. */
  readonly faults?: Faults;
  /** Bytes that may wait for one reader of the feed. */
  readonly feedBufferMax?: number;
  /** Sets the timers of the feed's pings and goodbyes; the machine's unless given. */
  readonly feedTimer?: SetTimer;
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
  /** The exchange itself, to be read; as it last was, while it is down. */
  readonly exchange: ExchangeReader;
  /** The one door to it, for what only its operator may ask. */
  readonly session: ExchangeSession;
  /** Resolves if the exchange stands still for good, with why: its log cannot be written, or an invariant is broken. */
  readonly failed: Promise<Error>;
  /** The truth about everyone's money. */
  ledger(): LedgerView;
  summary(): ExchangeSummary;
  /** Kills it without a word; it listens again, on its log, after so long. One that is down stays so. */
  crash(downFor: Micros): void;
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
  const server = new LiveServer(options);
  await server.open();
  return server;
}

class LiveServer implements RunningExchange {
  readonly #options: ExchangeServerOptions;
  readonly #server = createServer({ keepAliveTimeout: IDLE_MS });
  readonly #tally = new Tally();
  readonly #standing: Standing;
  readonly #feedDoor: FeedDoor;
  readonly #incidents: Incidents;
  readonly #log: Logger;
  readonly failed: Promise<Error>;
  #fail: (failure: Error) => void = () => undefined;
  #restart: (() => void) | null = null;
  #stopped: Promise<void> | null = null;
  #address = { host: HOST, port: 0 };

  constructor(options: ExchangeServerOptions) {
    const { config, clock = systemClock, log = SILENT } = options;
    const profile = withReadings(options.profile, config.readings);
    this.#options = { ...options, profile };
    this.#log = log;
    assertTellable(config, profile);
    this.failed = new Promise((resolve) => {
      this.#fail = (failure) => {
        log.error({ err: failure }, 'exchange stands still');
        resolve(failure);
      };
    });
    this.#standing = this.#stand(clock);
    const hall = () => this.#standing.hall;
    this.#server.on('request', openHttpDoor(hall));
    this.#feedDoor = new FeedDoor(this.#server, {
      hall,
      log,
      bufferMax: options.feedBufferMax ?? FEED_BUFFER_MAX,
      setTimer: options.feedTimer ?? idleTimer,
    });
    this.#incidents = new Incidents({
      rules: config.faults?.incidents ?? [],
      seed: config.faults?.seed ?? config.seed,
      session: () => (this.#standing.isUp ? this.session : null),
      later: idleTimer,
      crash: (downFor) => this.crash(downFor),
      onFault: (kind) => this.#tally.countFault(kind),
    });
  }

  #stand(clock: Clock): Standing {
    const { config, profile, keys = [], faults } = this.#options;
    const keyring = openKeyring(config.accounts, { profile, extra: keys });
    const plan = config.faults;
    // What dies and comes back must remember, though it may be in memory only.
    const dies = config.dataFolder === undefined && plan?.incidents.some(({ incident }) => incident === 'crash');
    return new Standing({
      config,
      profile,
      clock,
      setTimer: systemTimer,
      authentication: new SignatureAuthentication(profile.signing, keyring),
      faults: faults ?? this.#planned(clock),
      lagMax: plan === undefined ? micros(0) : lagMaxOf(plan),
      tally: this.#tally,
      log: this.#log,
      onFailure: (failure) => this.#fail(failure),
      ...(dies === true ? { store: memoryStore(saltOf(config.seed, clock())) } : {}),
    });
  }

  #planned(clock: Clock): Faults {
    const { config, profile } = this.#options;
    const plan = config.faults;
    if (plan === undefined) return NO_FAULTS;
    const onFault = this.#tally.countFault.bind(this.#tally);
    return new PlannedFaults({
      plan,
      seed: plan.seed ?? config.seed,
      profile,
      now: clock,
      later: idleTimer,
      onFault,
    });
  }

  async open(): Promise<void> {
    const { config, port = config.port, host = HOST, profile } = this.#options;
    try {
      await listen(this.#server, { host, port });
    } catch (error) {
      await this.#feedDoor.close();
      this.#standing.close();
      throw error;
    }
    const at = this.#server.address();
    assert(typeof at === 'object' && at !== null, 'a server that listens on a port has an address');
    this.#address = { host: at.address, port: at.port };
    this.#standing.startFlow();
    this.#incidents.start();
    const { url, feedUrl } = this;
    this.#log.info({ url, feedUrl, profile: profile.name, markets: this.exchange.markets().length }, 'exchange up');
  }

  get url(): string {
    return `http://${this.#address.host}:${this.#address.port}`;
  }

  get feedUrl(): string {
    return `ws://${this.#address.host}:${this.#address.port}`;
  }

  get session(): ExchangeSession {
    return this.#standing.session;
  }

  get exchange(): ExchangeReader {
    return this.session.exchange;
  }

  ledger(): LedgerView {
    return this.exchange.ledger();
  }

  summary(): ExchangeSummary {
    const { url, feedUrl } = this;
    return { url, feedUrl, feeds: this.#standing.hall.feeds, ...this.#tally.counts(), ledger: this.ledger() };
  }

  crash(downFor: Micros): void {
    if (!this.#standing.isUp || this.#stopped !== null) return;
    this.#standing.crash();
    this.#log.warn({ downMs: downFor / 1000 }, 'exchange crashed');
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    // While it is down nothing else keeps the process alive.
    const unset = systemTimer(downFor / 1000, () => void closed.then(() => this.#comeBack()));
    this.#restart = unset;
  }

  async #comeBack(): Promise<void> {
    if (this.#stopped !== null) return;
    this.#restart = null;
    try {
      this.#standing.restart();
      await listen(this.#server, this.#address);
      this.#log.info({ url: this.url }, 'exchange back');
    } catch (error) {
      // Its log is broken, or its port was taken meanwhile: nobody else would hear of it.
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#incidents.stop();
    this.#restart?.();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Answers that are under way are finished; connections that then are idle, closed.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS);
    const force = setTimeout(() => this.#server.closeAllConnections(), GOODBYE_MS);
    this.#server.closeIdleConnections();
    const feedsClosed = this.#feedDoor.close();
    this.#standing.dismiss();
    await feedsClosed;
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
    this.#standing.close();
  }
}

/** The exchange cannot listen where it was told to. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
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
