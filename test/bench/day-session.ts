// Runs a bot for a day of virtual time: the strategies of the demo against the real exchange, journaled to files as
// `presage run` does. Must never use a real clock or socket, nor write a journal that a replay would refuse.
import { readBotConfig } from '../../src/config/bot-config.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { type ExchangeConfig, readExchangeConfig } from '../../src/config/exchange-config.ts';
import { type Micros, micros } from '../../src/domain/units.ts';
import { logTo } from '../../src/log.ts';
import { version } from '../../src/app/package-version.ts';
import { manifestOf } from '../../src/runtime/replay/session-manifest.ts';
import { bindStrategy } from '../../src/runtime/plugins/strategy-binding.ts';
import { LiveSession } from '../../src/runtime/session/live-session.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { JournalWriter } from '../../src/tape/journal/journal-writer.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiVenue } from '../../src/venues/trade-api/trade-api-venue.ts';
import { Draws } from '../simulation/draws.ts';
import { FeedLink } from '../simulation/network/feed-link.ts';
import { HttpLink } from '../simulation/network/http-link.ts';
import { NetworkConditions } from '../simulation/network/network-conditions.ts';
import { KEY_ID, SimulatedExchange } from '../simulation/simulated-exchange.ts';
import { Trace } from '../simulation/trace.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

export interface DayOptions {
  /** Folder of the journal. */
  readonly folder: string;
  /** May have a fraction. */
  readonly hours: number;
  readonly seed: number;
  /** Number of further markets beside the demo's six. */
  readonly furtherMarkets: number;
  /** True when the bot watches the further markets, and quotes none of them. @default false */
  readonly onlyWatchesFurther?: boolean;
  /** Changes of each book in a second. */
  readonly changesPerSecond: number;
  /** Trades of the flow in each market in a minute. @default the demo's */
  readonly tradesPerMinute?: number;
  /** Called after each virtual hour. */
  readonly onHour?: (hour: number, journal: JournalWriter) => void;
}

/** A recorded day. Times are microseconds. */
export interface RecordedDay {
  readonly session: string;
  readonly fromUs: number;
  readonly toUs: number;
  /** Markets that were quoted all day. */
  readonly tickers: readonly string[];
  /** Entries of the journal, and their bytes before packing. */
  readonly entries: number;
  readonly bytes: number;
}

const HOUR_MS = 3_600_000;
const HOUR_US = 3_600_000_000;
const STOP_MS = 60_000;
const ACCOUNT = 'demo';
const QUIET = { onOp: () => undefined, onUp: () => undefined, onStep: () => undefined };

/** A trace without contents. */
class NoTrace extends Trace {
  override recordEvent(): void {}
  override hashText(): void {}
}

/** Runs a bot for some hours of virtual time, and journals it. */
export async function recordDay(options: DayOptions): Promise<RecordedDay> {
  const { folder, hours, seed, onHour } = options;
  const time = new VirtualTime(seed, Number.POSITIVE_INFINITY);
  const exchangeConfig = exchangeOf(options);
  const config = botOf(options);
  const venue = venueOf(options, { time, exchangeConfig });
  const manifest = await manifestOf({ config, venue, hasKey: true, version, folder });
  const scheduler = time.scheduler();
  const journal = new JournalWriter({ storage: fileStorage(folder), manifest, timers: scheduler });
  const session = new LiveSession({
    config,
    venue,
    strategies: await Promise.all(
      config.strategies.map(({ name, file, params }) => bindStrategy({ name, file, params })),
    ),
    hasKey: true,
    log: logTo({ write: () => undefined }, 'silent'),
    clock: { now: () => time.now() },
    scheduler,
    journal,
    observe: () => undefined,
  });
  const fromUs = time.now();
  let failed: unknown = null;
  time.later(0, () => void session.start().catch((fault: unknown) => (failed = fault)), true);
  for (let hour = 1; hour < hours + 1; hour++) {
    await time.run(Math.min(hour, hours) * HOUR_MS, () => failed !== null);
    if (failed !== null) throw failed;
    onHour?.(hour, journal);
  }
  const toUs = time.now();
  await stopAt(time, session);
  await journal.close('the day is over');
  const tickers = exchangeConfig.markets.flatMap(({ ticker }) => (ticker === BRIEF ? [] : [ticker]));
  return { session: journal.session ?? '', fromUs, toUs, tickers, entries: journal.seq, bytes: journal.bytesWritten };
}

async function stopAt(time: VirtualTime, session: LiveSession): Promise<void> {
  let isOver = false;
  time.later(0, () => void session.stop('the day is over', STOP_MS).then(() => (isOver = true)), true);
  await time.run(time.elapsedMs + 2 * STOP_MS, () => isOver);
}

interface Parts {
  readonly time: VirtualTime;
  readonly exchangeConfig: ExchangeConfig;
}

function venueOf({ seed }: DayOptions, { time, exchangeConfig }: Parts) {
  const now = (): number => time.elapsedMs;
  const trace = new NoTrace(now);
  const distance = { latencyMs: 5, jitterMs: 3 };
  const draws = new Draws(seed, 'network');
  const network = new NetworkConditions({ spells: [], distance, draws, trace, now, latestMs: 1000 });
  const profile = serviceProfile;
  const site = new SimulatedExchange({
    config: exchangeConfig,
    profile,
    account: ACCOUNT,
    time,
    trace,
    forgets: true,
    ...QUIET,
  });
  const life = { isAlive: true };
  const scheduler = time.scheduler(life);
  const shared = { time, network, site, trace, life, scheduler };
  const feed = new FeedLink({
    ...shared,
    watcher: { onUp: () => undefined, onFrame: () => undefined, onDown: () => undefined },
  });
  return tradeApiVenue({
    profile,
    urls: { rest: 'http://exchange', feed: 'ws://exchange' },
    credential: null,
    signer: { warm: () => undefined, stop: () => undefined, headersOf: () => headersAt(time.now()) },
    clock: () => time.now(),
    random: new Draws(seed, 'bot').uniform,
    http: new HttpLink({ ...shared, onRequest: () => undefined, onAnswer: () => undefined }),
    dial: feed.dial,
    scheduler,
  });
}

function headersAt(now: Micros): Record<string, string> {
  const { key, timestamp, signature } = serviceProfile.signing.headers;
  return { [key]: KEY_ID, [timestamp]: String(Math.round(now / 1000)), [signature]: 'trusted' };
}

/** The demo's market that closes after a quarter of a minute. */
const BRIEF = 'RAIN-LIMA-NOW';
const groupName = (number: number): string => `RAIN-R${number}`;
const numbersOf = ({ furtherMarkets }: DayOptions): number[] => Array.from({ length: furtherMarkets }, (_, at) => at);

const tradesOf = ({ tradesPerMinute: trades }: DayOptions) =>
  trades === undefined ? {} : { noiseTradesPerMinute: trades, informedTradesPerMinute: trades / 4 };

/** The demo's exchange, with markets that stay open all day. */
function exchangeOf(options: DayOptions): ExchangeConfig {
  const config = readExchangeConfig('config/exchange.yaml');
  const closesIn = micros(Math.round((options.hours + 1) * HOUR_US));
  const markets = config.markets.map((market) => (market.ticker === BRIEF ? market : { ...market, closesIn }));
  const [sample] = markets.filter(({ eventGroup }) => eventGroup === 'RAIN-OSLO');
  const [group] = config.eventGroups.filter(({ ticker }) => ticker === 'RAIN-OSLO');
  if (!sample || !group) throw new Error('the demo has no market RAIN-OSLO');
  const names = numbersOf(options).map(groupName);
  return {
    ...config,
    seed: options.seed,
    eventGroups: [...config.eventGroups, ...names.map((ticker) => ({ ...group, ticker }))],
    markets: [...markets, ...names.map((name) => ({ ...sample, eventGroup: name, ticker: `${name}-DAY` }))],
    flow: { ...config.flow, changesPerSecond: options.changesPerSecond, ...tradesOf(options) },
  };
}

/** The demo's bot: it quotes or watches the further markets, too, and no loss halts it. */
function botOf(options: DayOptions): BotConfig {
  const config = readBotConfig('config/demo.yaml');
  const further = numbersOf(options).map(groupName);
  const quoted = options.onlyWatchesFurther === true ? [] : further;
  if (!config.limits) throw new Error('the demo has no limits');
  const scale = 1 + options.furtherMarkets;
  const { workingOrdersMax, accountCostMax } = config.limits;
  return {
    ...config,
    markets: { ...config.markets, events: [...(config.markets.events ?? []), ...further] },
    strategies: config.strategies.map((strategy) =>
      strategy.name === 'quoter'
        ? { ...strategy, params: { ...strategy.params, events: ['RAIN-OSLO', 'RAIN-LIMA', ...quoted] } }
        : strategy,
    ),
    limits: {
      ...config.limits,
      workingOrdersMax: workingOrdersMax * scale,
      accountCostMax: (accountCostMax * scale) as typeof accountCostMax,
      dailyLossMax: (accountCostMax * 1000) as typeof accountCostMax,
      drawdownMax: (accountCostMax * 1000) as typeof accountCostMax,
    },
  };
}
