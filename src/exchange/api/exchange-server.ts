// The local exchange as a server. Opens and closes the exchange, its HTTP and feed servers, and its incidents. Must
// never listen beyond this machine unless configured to.
import { type Server, createServer } from 'node:http';
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { assert } from '../../base/assert.ts';
import { type Micros, micros } from '../../domain/units.ts';
import { type Logger, logTo } from '../../log.ts';
import { type WireProfile, replaceReadings } from '../../venues/trade-api/profiles/wire-profile.ts';
import { type SetTimer, idleTimer, saltOf, systemClock, systemTimer } from '../session/exchange-driver.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { LedgerView } from '../machine/exchange-output.ts';
import type { Clock, ExchangeSession } from '../session/exchange-session.ts';
import { memoryStore } from '../store/input-store.ts';
import { SignatureAuthentication } from './authentication.ts';
import { type FaultInjector, NO_FAULTS } from '../faults/fault-injector.ts';
import { IncidentRunner } from '../faults/incidents.ts';
import { openIncidentFile } from '../store/incident-file.ts';
import { PlannedFaults, lagMaxOf } from '../faults/planned-faults.ts';
import { FeedServer } from '../feed/feed-server.ts';
import { ArrivalOrder } from './arrival-order.ts';
import { httpListener } from './http-listener.ts';
import { SignatureThreads } from './signature-threads.ts';
import { type KeyRegistration, type Keyring, openKeyring } from './keyring.ts';
import { ExchangeProcess } from './exchange-process.ts';
import { assertEncodable } from './encodable-markets.ts';
import { type TrafficCounts, TrafficCounters } from './traffic-counters.ts';

export type { TrafficCounts, FaultInjector, KeyRegistration };

/** Options of a local exchange. */
export interface ExchangeServerOptions {
  readonly config: ExchangeConfig;
  /** Profile of the API. The config's `readings` replace its own. */
  readonly profile: WireProfile;
  /** Replaces the config's port; 0 for any free port. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Additional keys of the config's accounts. */
  readonly keys?: readonly KeyRegistration[];
  /** Replaces the config's faults of requests, feed and clock. Its incidents still happen. */
  readonly faults?: FaultInjector;
  /** Bytes that may wait for one feed client. Default 4,000,000. */
  readonly feedBufferMax?: number;
  /** Bytes that may wait for all feed clients together. Default 200,000,000. */
  readonly feedBuffersMax?: number;
  /** Sets the timers of the feed's pings and closes. Default: `idleTimer`. */
  readonly feedTimer?: SetTimer;
}

/** Summary of a server: addresses, traffic so far, and ledger. */
export interface ExchangeSummary extends TrafficCounts {
  readonly url: string;
  readonly feedUrl: string;
  readonly feeds: number;
  readonly ledger: LedgerView;
}

/** A running local exchange. */
export interface RunningExchange {
  /** URL for requests, without the profile's base path: `http://127.0.0.1:1234`. */
  readonly url: string;
  /** URL of the feed, without the profile's path: `ws://127.0.0.1:1234`. */
  readonly feedUrl: string;
  /** The exchange, for reading; its last state while it is down. */
  readonly exchange: ExchangeReader;
  /** The session, for operator operations. */
  readonly session: ExchangeSession;
  /** Resolves with the error that stops the exchange, such as an unwritable log. */
  readonly failed: Promise<Error>;
  ledger(): LedgerView;
  summary(): ExchangeSummary;
  /**
   * Crashes the exchange without closing anything cleanly. After `downFor` the exchange opens again from its store; it
   * is empty if the store keeps nothing. A call while the exchange is down or stopped changes nothing.
   */
  crash(downFor: Micros): void;
  /** Refuses new requests, closes every connection and the log. Resolves when nothing is left running. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/**
 * Time after which an idle connection is closed, in milliseconds. It is longer than in clients: requests in flight fail
 * when the server closes first.
 */
const IDLE_MS = 120_000;
/** Interval of closing idle connections during a stop, and time until all are closed by force. Milliseconds. */
const IDLE_CHECK_MS = 10;
const STOP_MS = 1000;
const FEED_BUFFER_MAX = 4_000_000;
const FEED_BUFFERS_MAX = 200_000_000;
const SILENT = logTo({ write: () => undefined }, 'silent');

/**
 * Starts a local exchange.
 * @throws {KeyFault} when a public key cannot be read.
 * @throws {KeyringError} when keys conflict.
 * @throws {EncodingError} when the profile cannot encode the prices or quantities of a market, or has no such tier.
 * @throws {ListingError} when the exchange refuses what the config lists.
 * @throws {StoreError} when its log cannot be read or written.
 * @throws {ListenError} when it cannot listen at the address: the port may be taken.
 */
export async function startExchange(options: ExchangeServerOptions): Promise<RunningExchange> {
  const server = new LiveServer(options);
  await server.open();
  return server;
}

class LiveServer implements RunningExchange {
  readonly #options: ExchangeServerOptions;
  readonly #server = createServer({ keepAliveTimeout: IDLE_MS });
  readonly #counters = new TrafficCounters();
  readonly #process: ExchangeProcess;
  readonly #threads: SignatureThreads;
  readonly #feedServer: FeedServer;
  readonly #incidents: IncidentRunner;
  readonly #log: Logger;
  readonly failed: Promise<Error>;
  #fail: (failure: Error) => void = () => undefined;
  #cancelRestart: (() => void) | null = null;
  #stopped: Promise<void> | null = null;
  #address = { host: HOST, port: 0 };

  constructor(options: ExchangeServerOptions) {
    const { config, clock = systemClock, log = SILENT } = options;
    const profile = replaceReadings(options.profile, config.readings);
    this.#options = { ...options, profile };
    this.#log = log;
    assertEncodable(config, profile);
    this.failed = new Promise((resolve) => {
      this.#fail = (failure) => {
        log.error({ err: failure }, 'exchange stopped on an error');
        resolve(failure);
      };
    });
    const keyring = openKeyring(config.accounts, { profile, extra: options.keys ?? [] });
    this.#threads = new SignatureThreads(new Map([...keyring].map(([id, { checked }]) => [id, checked])));
    this.#process = this.#createProcess(clock, keyring);
    const api = () => this.#process.api;
    this.#server.on('request', httpListener(api, new ArrivalOrder(this.#threads)));
    this.#feedServer = new FeedServer(this.#server, {
      api,
      log,
      bufferMax: options.feedBufferMax ?? FEED_BUFFER_MAX,
      buffersMax: options.feedBuffersMax ?? FEED_BUFFERS_MAX,
      setTimer: options.feedTimer ?? idleTimer,
    });
    this.#incidents = new IncidentRunner({
      rules: config.faults?.incidents ?? [],
      seed: config.faults?.seed ?? config.seed,
      session: () => (this.#process.isUp ? this.session : null),
      later: idleTimer,
      crash: (downFor) => this.crash(downFor),
      ...(config.dataFolder !== undefined && { kept: openIncidentFile(config.dataFolder) }),
      onFault: (kind) => this.#counters.countFault(kind),
    });
  }

  #createProcess(clock: Clock, keyring: Keyring): ExchangeProcess {
    const { config, profile, faults } = this.#options;
    const plan = config.faults;
    // An exchange that crashes must have a store, if only in memory.
    const needsMemory = config.dataFolder === undefined && plan?.incidents.some(({ incident }) => incident === 'crash');
    return new ExchangeProcess({
      config,
      profile,
      clock,
      setTimer: systemTimer,
      authentication: new SignatureAuthentication(profile.signing, keyring),
      faults: faults ?? this.#plannedFaults(clock),
      lagMax: plan === undefined ? micros(0) : lagMaxOf(plan),
      counters: this.#counters,
      log: this.#log,
      onFailure: (failure) => this.#fail(failure),
      ...(needsMemory === true ? { store: memoryStore(saltOf(config.seed, clock())) } : {}),
    });
  }

  #plannedFaults(clock: Clock): FaultInjector {
    const { config, profile } = this.#options;
    const plan = config.faults;
    if (plan === undefined) return NO_FAULTS;
    const onFault = this.#counters.countFault.bind(this.#counters);
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
      await this.#feedServer.close();
      this.#process.close();
      throw error;
    }
    const at = this.#server.address();
    assert(typeof at === 'object' && at !== null, 'a server that listens on a port has an address');
    this.#address = { host: at.address, port: at.port };
    this.#incidents.start();
    this.#process.startFlow();
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
    return this.#process.session;
  }

  get exchange(): ExchangeReader {
    return this.session.exchange;
  }

  ledger(): LedgerView {
    return this.exchange.ledger();
  }

  summary(): ExchangeSummary {
    const { url, feedUrl } = this;
    return { url, feedUrl, feeds: this.#process.api.feeds, ...this.#counters.counts(), ledger: this.ledger() };
  }

  crash(downFor: Micros): void {
    if (!this.#process.isUp || this.#stopped !== null) return;
    this.#process.crash();
    this.#log.warn({ downMs: downFor / 1000 }, 'exchange crashed');
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    // While the exchange is down, only this timer keeps the process alive.
    const cancelRestart = systemTimer(downFor / 1000, () => void closed.then(() => this.#restartNow()));
    this.#cancelRestart = cancelRestart;
  }

  async #restartNow(): Promise<void> {
    if (this.#stopped !== null) return;
    this.#cancelRestart = null;
    try {
      this.#process.restart();
      await listen(this.#server, this.#address);
      this.#log.info({ url: this.url }, 'exchange back');
    } catch (error) {
      // The log is broken, or the port was taken meanwhile. Nothing awaits this promise, so the error is reported here.
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#incidents.stop();
    this.#cancelRestart?.();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Running requests finish; their connections are closed once idle.
    const idleCloser = setInterval(() => this.#server.closeIdleConnections(), IDLE_CHECK_MS);
    const force = setTimeout(() => this.#server.closeAllConnections(), STOP_MS);
    this.#server.closeIdleConnections();
    const feedsClosed = this.#feedServer.close();
    this.#process.stopServing();
    await feedsClosed;
    await closed;
    clearInterval(idleCloser);
    clearTimeout(force);
    await this.#threads.stop();
    this.#process.close();
  }
}

/** The error of an exchange that cannot listen at the configured address. */
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
