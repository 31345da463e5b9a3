// One life of the bot: a real live session on the simulated network, clock and disk. It may die at any moment: from
// then on nothing it does has an effect. Must never learn anything that a real process could not know.
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { logTo } from '../../../src/log.ts';
import { type SessionEnd, LiveSession } from '../../../src/runtime/session/live-session.ts';
import { readSavedState } from '../../../src/runtime/saved/saved-state.ts';
import { SETUP_MEMBERS } from '../../../src/runtime/session/engine-setup.ts';
import type { Manifest } from '../../../src/tape/format/segment-header.ts';
import type { Journal } from '../../../src/tape/journal/journal-port.ts';
import { JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import type { HttpRequest } from '../../../src/transport/http-client.ts';
import { type Endpoint, type WireProfile, endpointOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import type { Venue } from '../../../src/venue.ts';
import { type TradeApiVenueOptions, tradeApiVenue } from '../../../src/venues/trade-api/trade-api-venue.ts';
import { codecOf } from '../../../src/venues/trade-api/wire/codec.ts';
import { ORDER_TIMEOUT_MS, READ_TIMEOUT_MS, botConfig } from './bot-config.ts';
import { BotJournal, type JournaledOrder } from './bot-journal.ts';
import { Draws } from '../draws.ts';
import type { DiskHandles } from './bot-disk.ts';
import type { Dialect } from '../dialect.ts';
import { FeedLink, type FeedWatcher } from '../network/feed-link.ts';
import { HttpLink, type LinkOptions } from '../network/http-link.ts';
import type { KillMoment, StrategyChoice } from '../scenario.ts';
import { KEY_ID, type Reply } from '../simulated-exchange.ts';
import { bindStrategy, observeCancels, paramsOf } from './bot-strategies.ts';
import type { Life } from '../virtual-time.ts';

/** Receives everything that a bot does. */
export interface BotWatcher extends FeedWatcher {
  onNotice(bot: Bot, notice: Notice): void;
  onCommands: ConstructorParameters<typeof BotJournal>[0]['onCommands'];
  onRequest(request: HttpRequest): void;
  onAnswer(request: HttpRequest, reply: Reply): void;
  /** A strategy requested the cancel of one of its orders. */
  readonly onCancelWanted: (id: ClientOrderId) => void;
  /** The session can only be stopped: an invariant broke, or the venue refused its start. */
  onUnusable(bot: Bot): void;
}

export interface BotOptions extends Pick<LinkOptions, 'time' | 'network' | 'site' | 'trace'> {
  readonly dialect: Dialect;
  readonly seed: number;
  /** Number of the life, from 1. */
  readonly number: number;
  readonly strategies: readonly StrategyChoice[];
  /** True to send an order again under its own id when no list shows it. */
  readonly resendsUnknown: boolean;
  /** True to move quotes by amends. */
  readonly movesByAmend: boolean;
  /** True to send the orders that leave together in one request. */
  readonly batches: boolean;
  /** Lead of its clock over the exchange's. */
  readonly skewMs: number;
  readonly disk: DiskHandles;
  readonly written: Map<string, JournaledOrder>;
  /** Called when the process dies: its files are no longer its own. */
  readonly onKill: () => void;
  readonly watcher: BotWatcher;
}

/** Silence limit of the feed, and reconnect backoff: shorter than the defaults, because simulations are short. */
const FEED_TUNING = {
  silenceMs: 6000,
  handshakeTimeoutMs: 1500,
  backoff: { firstMs: 100, capMs: 2000, jitter: 'equal' },
} as const;

/** A bot's process. */
export class Bot implements Life {
  readonly #options: BotOptions;
  readonly session: LiveSession;
  readonly #feed: FeedLink;
  readonly #journal: JournalWriter;
  isAlive = true;
  /** The moment at which it is to die; `null` when none is set. */
  #killMoment: KillMoment | null = null;
  /** The end of its session, once it has ended. */
  end: SessionEnd | null = null;

  constructor(options: BotOptions) {
    this.#options = options;
    const { time, network, site, trace, watcher, dialect, seed, number, skewMs } = options;
    const { profile, guards } = dialect;
    const scheduler = time.scheduler(this);
    const shared = { time, network, site, trace, life: this, scheduler };
    const clock = { now: () => micros(time.now() + Math.round(skewMs * 1000)) };
    this.#feed = new FeedLink({ ...shared, watcher });
    const http = new HttpLink({
      ...shared,
      onRequest: (request) => this.#onRequest(request),
      onAnswer: (request, reply) => this.#onAnswer(request, reply),
    });
    const venue = tradeApiVenue({
      profile,
      guards,
      urls: { rest: 'http://exchange', feed: 'ws://exchange' },
      credential: null,
      signer: { warm: () => undefined, stop: () => undefined, headersOf: () => this.#headers(clock.now()) },
      clock: () => clock.now(),
      random: new Draws(seed, `bot ${number}`).uniform,
      http,
      dial: this.#feed.dial,
      scheduler,
      tuning: { orderTimeoutMs: ORDER_TIMEOUT_MS, readTimeoutMs: READ_TIMEOUT_MS, feed: FEED_TUNING },
      limits: limitsOf(options),
    });
    const config = botConfig(
      options.strategies.map((choice) => ({ name: choice, params: paramsOf(choice, seed + number) })),
      {
        resendUnknown: options.resendsUnknown,
        moveQuotesBy: options.movesByAmend ? 'amend' : 'cancel',
        batches: options.batches,
      },
    );
    this.#journal = new JournalWriter({
      storage: options.disk.journal,
      manifest: manifestOf(config, venue),
      timers: scheduler,
      packer: null,
    });
    const strategies = config.strategies.map(({ name, params }) =>
      observeCancels(bindStrategy(name, params), watcher.onCancelWanted),
    );
    const { saved } = options.disk;
    this.session = new LiveSession({
      config,
      venue,
      strategies,
      hasKey: true,
      log: logTo({ write: (line) => this.#onLogLine(line) }, 'error'),
      clock,
      scheduler,
      restoredState: { ...options.disk.carried, saved: readSavedState(saved, strategies) },
      savedState: saved,
      journal: this.#makeJournal(),
      latch: options.disk.latch,
      observe: (notice) => watcher.onNotice(this, notice),
    });
    void this.session.mustStop.then(() => this.isAlive && watcher.onUnusable(this));
    void this.session.start();
  }

  get isKillPlanned(): boolean {
    return this.#killMoment !== null;
  }

  /** Kills it at a moment of its work. */
  killAt(moment: KillMoment): void {
    this.#killMoment = moment;
    if (moment === 'now') this.kill();
  }

  /** Kills it at once, without any shutdown. */
  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#options.trace.recordEvent('killed', `life ${this.#options.number}`);
    this.#feed.die();
    this.#options.onKill();
  }

  /** True when it is being stopped. */
  isEnding = false;

  /** Stops it as a user would. */
  stop(withinMs: number): void {
    this.isEnding = true;
    void this.#stopSession(withinMs);
  }

  async #stopSession(withinMs: number): Promise<void> {
    const end = await this.session.stop('the run is over', withinMs);
    await this.#journal.close('the run is over').catch(() => undefined);
    this.end = end;
  }

  cutStreams(): void {
    this.#feed.cut('ECONNRESET');
  }

  silenceStreams(): void {
    this.#feed.silence();
  }

  /** Handles a log line. After a fatal one the session ignores all input, although it has not ended yet. */
  #onLogLine(line: string): void {
    if (!line.includes('"level":60')) return;
    // tidy: as — the log's own format; its time is the machine's, and does not belong here.
    const { err } = JSON.parse(line) as { readonly err?: { readonly message?: string } };
    this.#options.trace.recordEvent('fatal', err?.message ?? '');
    this.isEnding = true;
  }

  #diesAt(moment: KillMoment): boolean {
    if (this.#killMoment === moment) this.kill();
    return !this.isAlive;
  }

  #makeJournal(): Journal {
    const { written, watcher } = this.#options;
    const { onCommands } = watcher;
    const dies = (moment: KillMoment): boolean => this.#diesAt(moment);
    return new BotJournal({
      inner: this.#journal,
      journaled: written,
      onCommands,
      diesAt: dies,
      onDiskDeath: () => this.kill(),
    });
  }

  #onRequest(request: HttpRequest): void {
    if (isOrder(this.#options.dialect.profile, request) && this.#diesAt('sending')) return;
    this.#options.watcher.onRequest(request);
  }

  #onAnswer(request: HttpRequest, reply: Reply): void {
    if (isOrder(this.#options.dialect.profile, request) && this.#diesAt('answered')) return;
    this.#options.watcher.onAnswer(request, reply);
  }

  #headers(now: number): Record<string, string> {
    const { key, timestamp } = this.#options.dialect.profile.signing.headers;
    return { [key]: KEY_ID, [timestamp]: String(Math.floor(now / 1000)) };
  }
}

const isAt = ({ basePath }: WireProfile, endpoint: Endpoint, { method, path }: HttpRequest): boolean =>
  method === endpoint.method && path === basePath + endpoint.path;

/** True for a request that places one order, or several. */
const isOrder = (profile: WireProfile, request: HttpRequest): boolean =>
  isAt(profile, endpointOf(profile, 'createOrder'), request) ||
  isAt(profile, endpointOf(profile, 'createOrders'), request);

/** The exchange's configured limits, which replace its profile's, as in a user's config. */
const limitsOf = ({ site }: BotOptions): NonNullable<TradeApiVenueOptions['limits']> => {
  const { read, trade } = site.limits;
  return { ...(read && { read }), ...(trade && { trade }) };
};

/** The manifest from which a replay builds the session. Strategies are identified by name here, not by file. */
function manifestOf(config: BotConfig, { name, capabilities: { limits } }: Venue): Manifest {
  const setup = Object.fromEntries(
    SETUP_MEMBERS.flatMap((member) => (member === 'strategies' ? [] : [[member, config[member]] as const])),
  );
  const strategies = config.strategies.map(({ file, name: strategy, params }) => ({
    name: strategy,
    file,
    params,
    sha256: '',
  }));
  const { read, trade } = limits;
  return {
    version: 'simulated',
    profile: name,
    hasKey: true,
    limits: { read, trade },
    tickers: [],
    setup,
    strategies,
    hash: '',
  };
}

/** The client order ids in a request that places orders; empty for any other request. */
export function orderIdsOf(profile: WireProfile, request: HttpRequest): readonly ClientOrderId[] {
  if (!isOrder(profile, request) || request.body === null) return [];
  const json: unknown = JSON.parse(request.body);
  const { records } = profile;
  const orders = isAt(profile, endpointOf(profile, 'createOrder'), request)
    ? [codecOf(records.createOrder).decode(json)]
    : codecOf(records.createOrders).decode(json).orders;
  return orders.flatMap(({ clientOrderId: name }) => (name === null ? [] : [clientOrderId(name)]));
}
