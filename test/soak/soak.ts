// A long session in virtual time: the real bot against the real exchange, in one process, while thousands of markets
// open, trade, close and are paid out. Samples every virtual hour what the session holds. No real clock, no timer, no
// socket.
import { type BotConfig, botConfigSchema } from '../../src/config/bot-config.ts';
import { type ExchangeConfig, exchangeConfigSchema } from '../../src/config/exchange-config.ts';
import { must } from '../../src/base/assert.ts';
import { seriesTicker } from '../../src/domain/ids.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import { logTo } from '../../src/log.ts';
import { accountSummary } from '../../src/report/account/account-summary.ts';
import { type LedgerDifference, compareWithLedger } from '../../src/report/account/ledger-comparison.ts';
import { type SessionEnd, LiveSession } from '../../src/runtime/session/live-session.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiVenue } from '../../src/venues/trade-api/trade-api-venue.ts';
import { Draws } from '../simulation/draws.ts';
import { FeedLink } from '../simulation/network/feed-link.ts';
import { HttpLink } from '../simulation/network/http-link.ts';
import { SimulatedExchange } from '../simulation/simulated-exchange.ts';
import { Trace } from '../simulation/trace.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { NetworkConditions } from '../simulation/network/network-conditions.ts';
import { type Retained, retained } from './retained.ts';
import { type SoakStrategy, soakStrategy } from './strategy.ts';

export interface SoakOptions {
  readonly seed: number;
  /** Number of markets over the whole run. */
  readonly markets: number;
  /** Time for which each market is open. */
  readonly lifetimeMinutes: number;
  readonly hours: number;
  /** Number of samples. */
  readonly sampleCount: number;
  /** Interval of cuts of the stream. */
  readonly cutEveryMinutes: number;
  /** Receives every sample. */
  readonly onSample: (look: SoakSample) => void;
}

/** A sample at one moment. */
export interface SoakSample {
  readonly elapsedHours: number;
  readonly opened: number;
  readonly settled: number;
  readonly forgotten: number;
  readonly fills: number;
  /** Differences from the venue's figures reported so far. */
  readonly drifts: number;
  readonly retained: Retained;
}

/** Result of a soak. */
export interface SoakEnd {
  readonly end: SessionEnd;
  /** Differences from the exchange's own ledger. */
  readonly differences: readonly LedgerDifference[];
  readonly last: SoakSample;
}

const ACCOUNT = 'soak';
const SERIES = seriesTicker('HOURLY');
const GROUP_SIZE = 5;
const STOP_MS = 60_000;
const MINUTE_MS = 60_000;

/** A trace without contents: it would fill memory, and is not read. */
class NoTrace extends Trace {
  override recordEvent(): void {}
  override hashText(): void {}
}

/** Runs a soak. */
export const runSoak = (options: SoakOptions): Promise<SoakEnd> => new Soak(options).run();

class Soak {
  readonly #options: SoakOptions;
  readonly #time: VirtualTime;
  readonly #site: SimulatedExchange;
  readonly #feed: FeedLink;
  readonly #session: LiveSession;
  readonly #strategy: SoakStrategy = soakStrategy(SERIES);
  readonly #counts = { opened: 0, settled: 0, forgotten: 0 };
  #differences: readonly LedgerDifference[] = [];

  constructor(options: SoakOptions) {
    this.#options = options;
    const { seed } = options;
    const time = (this.#time = new VirtualTime(seed, Number.POSITIVE_INFINITY));
    const now = (): number => time.elapsedMs;
    const trace = new NoTrace(now);
    const draws = new Draws(seed, 'network');
    const distance = { latencyMs: 5, jitterMs: 3 };
    const network = new NetworkConditions({ spells: [], distance, draws, trace, now, latestMs: 1000 });
    const quiet = { onOp: () => {}, onUp: () => {}, onStep: () => {} };
    const profile = serviceProfile;
    const config = exchangeConfig(options);
    const site = new SimulatedExchange({ config, profile, account: ACCOUNT, time, trace, forgets: true, ...quiet });
    this.#site = site;
    const life = { isAlive: true };
    const scheduler = time.scheduler(life);
    const shared = { time, network, site, trace, life, scheduler };
    this.#feed = new FeedLink({ ...shared, watcher: { onUp: () => {}, onFrame: () => {}, onDown: () => {} } });
    const clock = { now: () => time.now() };
    const venue = tradeApiVenue({
      profile,
      urls: { rest: 'http://exchange', feed: 'ws://exchange' },
      credential: null,
      signer: { warm: () => undefined, stop: () => undefined, headersOf: () => handshakeOf(clock.now()) },
      clock: clock.now,
      random: new Draws(seed, 'bot').uniform,
      http: new HttpLink({ ...shared, onRequest: () => {}, onAnswer: () => {} }),
      dial: this.#feed.dial,
      scheduler,
      limits: LIMITS,
    });
    this.#session = new LiveSession({
      config: BOT_CONFIG,
      venue,
      strategies: [this.#strategy.bound],
      hasKey: true,
      log: logTo({ write: () => undefined }, 'silent'),
      clock,
      scheduler,
      observe: (notice) => this.#observe(notice),
    });
  }

  #observe(notice: Notice): void {
    if (notice.type === 'market' && notice.before === null) this.#counts.opened += 1;
    if (notice.type === 'market' && notice.market.status === 'finalized') this.#counts.settled += 1;
    if (notice.type === 'evicted') this.#counts.forgotten += 1;
    // At the moment of the last comparison: the exchange continues, and may pay a market out in the next.
    if (notice.type === 'phase' && notice.phase === 'stopped') this.#compare();
  }

  #compare(): void {
    const { accounts } = this.#site.exchange.ledger();
    const ledger = must(
      accounts.find(({ account }) => account === ACCOUNT),
      'the account',
    );
    this.#differences = compareWithLedger(accountSummary(this.#session.engine.state), ledger);
  }

  async run(): Promise<SoakEnd> {
    const { hours, sampleCount, cutEveryMinutes } = this.#options;
    let failed: unknown = null;
    this.#time.later(0, () => void this.#session.start().catch((fault: unknown) => (failed = fault)), true);
    this.#cutEvery(cutEveryMinutes * MINUTE_MS);
    for (let look = 1; look <= sampleCount; look++) {
      await this.#time.run((look / sampleCount) * hours * 60 * MINUTE_MS, () => failed !== null);
      if (failed !== null) throw failed;
      this.#options.onSample(this.#sample());
    }
    let end: SessionEnd | null = null;
    this.#time.later(
      0,
      () => void this.#session.stop('the soak is over', STOP_MS).then((ended) => (end = ended)),
      true,
    );
    await this.#time.run(this.#time.elapsedMs + 2 * STOP_MS, () => end !== null);
    return {
      end: must<SessionEnd>(end, 'the end of the session'),
      differences: this.#differences,
      last: this.#sample(),
    };
  }

  #cutEvery(everyMs: number): void {
    this.#time.later(
      everyMs,
      () => {
        this.#feed.cut('cut by the soak');
        this.#cutEvery(everyMs);
      },
      true,
    );
  }

  #sample(): SoakSample {
    const { tally } = this.#session;
    const fills = tally.strategies().reduce((sum, strategy) => sum + strategy.fills, 0);
    return {
      elapsedHours: this.#time.elapsedMs / (60 * MINUTE_MS),
      ...this.#counts,
      fills,
      drifts: tally.drifts,
      retained: retained(this.#session, this.#strategy),
    };
  }
}

const handshakeOf = (at: number): Record<string, string> => {
  const { key, timestamp, signature } = serviceProfile.signing.headers;
  return { [key]: 'simulated-key', [timestamp]: String(Math.round(at / 1000)), [signature]: 'trusted' };
};

/** Wider limits than the profile's: hundreds of markets are quoted at once. */
const LIMITS = {
  read: { model: 'rolling-window', count: 50, windowMs: 1000 },
  trade: { model: 'rolling-window', count: 100, windowMs: 1000 },
} as const;

function exchangeConfig({ seed, markets, lifetimeMinutes, hours }: SoakOptions): ExchangeConfig {
  const everyMs = Math.round((hours * 60 * MINUTE_MS) / (markets / GROUP_SIZE));
  return exchangeConfigSchema.parse({
    seed,
    accounts: [{ name: ACCOUNT, cash: 1_000_000 }],
    series: [{ ticker: SERIES, title: 'Every hour', category: 'Soak', feeType: 'quadratic_with_maker_fees' }],
    eventGroups: [],
    markets: [],
    churn: [
      {
        series: SERIES,
        every: `${everyMs}ms`,
        markets: GROUP_SIZE,
        lifetime: `${lifetimeMinutes}m`,
        settlesAfter: '20s',
      },
    ],
    forgetsAfter: '3m',
    flow: {
      changesPerSecond: 0.015,
      noiseTradesPerMinute: 0.5,
      informedTradesPerMinute: 0.1,
      makersPerMarket: 1,
      levels: 3,
    },
    limits: LIMITS,
  });
}

const BOT_CONFIG: BotConfig = botConfigSchema.parse({
  venue: { url: 'http://localhost', key: { id: 'simulated', file: 'nowhere' } },
  markets: { series: [SERIES] },
  strategies: [{ name: 'soak', file: 'nowhere' }],
  limits: {
    orderQtyMax: 20,
    orderCostMax: 20,
    positionQtyMax: 100,
    marketCostMax: 100,
    accountCostMax: 100_000,
    workingOrdersMax: 5000,
    priceMin: 0.02,
    priceMax: 0.98,
    bookAgeMax: '1h',
    closeGuard: '1s',
    groupCostMax: 1000,
    dailyLossMax: 100_000,
    drawdownMax: 100_000,
    ordersPerSecondMax: 1000,
    priceDistanceMax: 0.9,
  },
  upkeep: { fills: '15s', compare: '30s', probe: '3s', audit: '10s', markets: '30s' },
  dataFolder: 'nowhere',
  log: { level: 'silent', file: 'nowhere' },
});
