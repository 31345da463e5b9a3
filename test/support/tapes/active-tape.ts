// A small tape of active markets: moving books, prints, a gap and a settlement. Also runs a backtest over it.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { MemoryRows } from '../../../backtest/memory-rows.ts';
import { type BacktestOptions, type BacktestRun, runBacktest } from '../../../backtest/backtest-run.ts';
import { type BacktestConfig, backtestConfigSchema } from '../../../src/config/backtest-config.ts';
import type { BookSide } from '../../../src/domain/event.ts';
import { type MarketIndex, TickerTable, eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import type { FeeTerms, Market } from '../../../src/domain/market.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, fromSeconds, micros } from '../../../src/domain/units.ts';
import { engineOptions } from '../../../src/runtime/session/engine-setup.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import type { RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';

/** Start of the tape. */
const TAPE_BEGIN = fromSeconds(1_780_000_000);
export const at = (seconds: number): Micros => micros(TAPE_BEGIN + Math.round(seconds * 1_000_000));

export interface ActiveTapeOptions {
  readonly seed?: number;
  readonly markets?: number;
  readonly seconds?: number;
  /** Rows per second in each market. */
  readonly perSecond?: number;
  /** Time and result of the first market's settlement; none by default. */
  readonly settlement?: { readonly at: number; readonly result: 'yes' | 'no' };
  /** Time range in which nothing was recorded; none by default. */
  readonly gap?: { readonly from: number; readonly to: number };
  readonly blockRows?: number;
  /** Planned fee changes of the series at the tape's start. Times are in seconds. */
  readonly feePlan?: readonly { readonly at: number; readonly terms: FeeTerms }[];
  /** Seconds after which the tape differs from the tape of the same seed without this option. */
  readonly divergesAt?: number;
}

interface Book {
  readonly bid: Map<number, number>;
  readonly ask: Map<number, number>;
  middle: number;
}

/** Makes the tape. */
export function activeTape(options: ActiveTapeOptions = {}): MemoryRows {
  return new Maker(options).tape();
}

class Maker {
  readonly #options: Required<Pick<ActiveTapeOptions, 'markets' | 'seconds' | 'perSecond'>> & ActiveTapeOptions;
  readonly #rows: MemoryRows;
  readonly #draw: (from: number, to: number) => number;
  readonly #books: Book[] = [];
  #seconds = 0;
  #turned = 0;

  constructor(options: ActiveTapeOptions) {
    this.#options = { markets: 3, seconds: 60, perSecond: 20, ...options };
    const random = xoroshiro128plus(options.seed ?? 1);
    this.#draw = (from, to) => ((uniformInt(random, 0, 1_000_000) + this.#turned) % (to - from + 1)) + from;
    const tickers = new TickerTable();
    for (let number = 0; number < this.#options.markets; number++) tickers.internTicker(ticker(`RAIN-${number}`));
    this.#rows = new MemoryRows(tickers, options.blockRows ?? 64);
  }

  #times(): { readonly at: Micros; readonly venueAt: Micros } {
    const learned = at(this.#seconds);
    return { at: learned, venueAt: micros(learned - this.#draw(20_000, 80_000)) };
  }

  tape(): MemoryRows {
    const { markets, seconds, perSecond, settlement: settles, gap, divergesAt: turnsAt } = this.#options;
    this.#open();
    const step = 1 / (perSecond * markets);
    let [isSettled, wasInGap] = [false, false];
    for (this.#seconds = step; this.#seconds < seconds; this.#seconds += step) {
      if (turnsAt !== undefined && this.#seconds >= turnsAt) this.#turned = 7;
      const isInGap = gap !== undefined && this.#seconds >= gap.from && this.#seconds < gap.to;
      if (isInGap && !wasInGap) this.#lose(gap);
      if (!isInGap && wasInGap) for (let market = 0; market < markets; market++) this.#snapshot(market);
      wasInGap = isInGap;
      const market = this.#draw(0, markets - 1);
      if (settles && !isSettled && this.#seconds >= settles.at) this.#settle(settles.result);
      isSettled ||= settles !== undefined && this.#seconds >= settles.at;
      if (isInGap || (market === 0 && isSettled)) this.#drift(market);
      else this.#act(market);
    }
    return this.#rows;
  }

  #open(): void {
    const { markets, settlement: settles, seconds, feePlan } = this.#options;
    const [group, series] = [eventTicker('RAIN'), seriesTicker('WEATHER')];
    const [first] = [at(0)];
    const tickers = Array.from({ length: markets }, (_, number) => ticker(`RAIN-${number}`));
    this.#rows.addEvent({
      kind: 'series',
      at: first,
      series: {
        ticker: series,
        title: 'Weather',
        category: 'Weather',
        frequency: 'daily',
        feeType: 'quadratic_with_maker_fees',
        feeMultiplierPercent: 100,
      },
    });
    if (feePlan !== undefined) {
      const changes = feePlan.map((change) => ({ ...change, at: at(change.at) }));
      this.#rows.addEvent({ kind: 'fees-scheduled', at: first, seriesTicker: series, changes });
    }
    this.#rows.addEvent({
      kind: 'event-group',
      at: first,
      group: { eventTicker: group, seriesTicker: series, title: 'Rain', isExclusive: false, tickers },
    });
    tickers.forEach((name, number) => {
      const closeAt = number === 0 && settles ? at(settles.at - 2) : at(seconds + 3600);
      const market: Market = {
        ticker: name,
        index: number as MarketIndex,
        eventTicker: group,
        title: name,
        status: 'active',
        openAt: at(-3600),
        closeAt,
        canCloseEarly: false,
        grid: CENT_GRID,
        result: null,
        settlementValue: null,
      };
      this.#rows.addEvent({ kind: 'market', at: first, market });
      this.#books.push({ bid: new Map(), ask: new Map(), middle: 40 + this.#draw(0, 20) });
      for (let away = 1; away <= 5; away++) this.#fill(number, away);
      this.#snapshot(number);
    });
  }

  #fill(market: number, away: number): void {
    const book = this.#books[market]!;
    book.bid.set(book.middle - away, 1000 * away);
    book.ask.set(book.middle + away, 1000 * away);
  }

  #snapshot(market: number): void {
    const book = this.#books[market]!;
    const levels = (side: BookSide): (readonly [Price, Qty])[] =>
      [...book[side]].map(([cent, qty]) => [cents(cent), qty as Qty] as const);
    this.#rows.addSnapshot(this.#times(), market as MarketIndex, { bids: levels('bid'), asks: levels('ask') });
  }

  #lose({ from, to }: { readonly from: number; readonly to: number }): void {
    this.#rows.addGap({ from: at(from), to: at(to), reason: 'lost', tickers: [] });
    this.#rows.addEvent({ kind: 'feed-gap', at: at(this.#seconds), markets: [], reason: 'lost' });
  }

  #settle(result: 'yes' | 'no'): void {
    const settlementValue = (result === 'yes' ? 10_000 : 0) as Price;
    const change = { kind: 'market-changed', exchangeAt: null, market: 0 as MarketIndex } as const;
    this.#rows.addEvent({ ...change, at: at(this.#seconds), status: 'closed' });
    this.#rows.addEvent({ ...change, at: at(this.#seconds), status: 'determined', result, settlementValue });
    this.#rows.addEvent({ ...change, at: at(this.#seconds), status: 'finalized', result, settlementValue });
  }

  /** Lets the book change without rows. */
  #drift(market: number): void {
    const book = this.#books[market]!;
    if (this.#draw(0, 9) > 0) return;
    book.bid.clear();
    book.ask.clear();
    book.middle = Math.min(80, Math.max(20, book.middle + this.#draw(-1, 1)));
    for (let away = 1; away <= 5; away++) this.#fill(market, away);
  }

  #act(market: number): void {
    const what = this.#draw(0, 9);
    if (what < 2) this.#trade(market);
    else this.#change(market);
  }

  /** Adds a trade that takes a part of the best level. */
  #trade(number: number): void {
    const isBuy = this.#draw(0, 1) === 1;
    const side: BookSide = isBuy ? 'ask' : 'bid';
    const [cent, resting] = this.#best(number, side) ?? [0, 0];
    if (resting === 0) return;
    const qty = Math.min(resting, this.#draw(1, 8) * 100) as Qty;
    const [times, market, price] = [this.#times(), number as MarketIndex, cents(cent)];
    this.#rows.addPrint(times, { market, side: isBuy ? 'buy' : 'sell', price, qty });
    this.#set(number, side, [cent, resting - qty]);
    this.#rows.addDelta(times, { market, side, price, change: -qty as Qty });
  }

  #change(number: number): void {
    const side: BookSide = this.#draw(0, 1) === 1 ? 'bid' : 'ask';
    const book = this.#books[number]!;
    const away = this.#draw(1, 6);
    const other = this.#best(number, side === 'bid' ? 'ask' : 'bid')?.[0] ?? book.middle;
    const cent =
      side === 'bid'
        ? Math.min(book.middle - away + this.#draw(0, 1), other - 1)
        : Math.max(book.middle + away - this.#draw(0, 1), other + 1);
    if (cent < 2 || cent > 98) return;
    const resting = book[side].get(cent) ?? 0;
    const change = resting > 0 && this.#draw(0, 9) < 5 ? -resting : this.#draw(1, 20) * 100;
    this.#set(number, side, [cent, resting + change]);
    this.#rows.addDelta(this.#times(), {
      market: number as MarketIndex,
      side,
      price: cents(cent),
      change: change as Qty,
    });
    if (this.#draw(0, 19) === 0) book.middle = Math.min(80, Math.max(20, book.middle + this.#draw(-1, 1)));
  }

  #set(market: number, side: BookSide, [cent, qty]: readonly [number, number]): void {
    const levels = this.#books[market]![side];
    if (qty === 0) levels.delete(cent);
    else levels.set(cent, qty);
  }

  #best(market: number, side: BookSide): readonly [number, number] | undefined {
    const levels = [...this.#books[market]![side]].sort(([a], [b]) => (side === 'bid' ? b - a : a - b));
    return levels[0];
  }
}

/** Returns a config as a file would contain it. */
export function aBacktestConfig(over: Record<string, unknown> = {}): BacktestConfig {
  return backtestConfigSchema.parse({
    tape: 'memory',
    cash: 1000,
    markets: { events: ['RAIN'] },
    strategies: [{ name: 'quoter', file: 'quoter.ts' }],
    limits: {
      orderQtyMax: 20,
      orderCostMax: 20,
      positionQtyMax: 60,
      marketCostMax: 60,
      groupCostMax: 200,
      accountCostMax: 400,
      dailyLossMax: 100,
      drawdownMax: 200,
      workingOrdersMax: 60,
      ordersPerSecondMax: 50,
      priceMin: 0.02,
      priceMax: 0.98,
      priceDistanceMax: 0.3,
      bookAgeMax: '15s',
      closeGuard: '2s',
    },
    ...over,
  });
}

/** Runs strategies over a tape. */
export function backtestOver(
  source: RowSource,
  strategies: readonly BoundStrategy[],
  { config = aBacktestConfig(), ...more }: Partial<BacktestOptions> & { readonly config?: BacktestConfig } = {},
): Promise<BacktestRun> {
  return runBacktest({ ...backtestOptions(source, strategies, config), ...more });
}

/** Returns the options of such a run. */
export function backtestOptions(
  source: RowSource,
  strategies: readonly BoundStrategy[],
  config = aBacktestConfig(),
): BacktestOptions {
  const { capabilities } = tradeApiReplayParts({ profile: serviceProfile, tickers: new TickerTable() });
  return {
    source,
    engine: ({ observe, ...venue }) => engineOptions({ config, venue, strategies, hasKey: true, observe }),
    capabilities,
    simulation: config.simulation,
    cash: config.cash,
    seed: config.seed,
    stopWithin: config.orders.stopWithin,
  };
}
