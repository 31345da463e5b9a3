// A stage for one strategy: the real engine, risk and order handling with a simulated venue. A test supplies the
// events, and each call takes effect at once. Works in any test runner and needs none.
import { budgetsSchema, clockSchema, strategySchema, universeSchema, upkeepSchema } from '../config/bot-config.ts';
import { ordersSchema } from '../config/orders-config.ts';
import { limitsSchema } from '../config/limit-fields.ts';
import { AssertionFault, assert, must } from '../base/assert.ts';
import { type Denial, describeDenial } from '../domain/denial.ts';
import type { BookSide } from '../domain/event.ts';
import { type MarketIndex, TickerTable, ticker, tradeId } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { Market, Outcome } from '../domain/market.ts';
import { type RestoredState, type SavedLedgers, NOTHING_RESTORED } from '../domain/operator-order.ts';
import { type Order, leavesQty, opposite } from '../domain/orders/order.ts';
import type { Position } from '../domain/position.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, contracts, qty } from '../domain/units.ts';
import type { EngineOptions } from '../engine.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { type SetupConfig, engineOptions } from '../runtime/session/engine-setup.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import type { Strategy } from '../strategy/strategy-definition.ts';
import { serviceProfile } from '../venues/trade-api/profiles/service-profile.ts';
import { tradeApiReplayParts } from '../venues/trade-api/replay-parts.ts';
import { recordAnswers } from './answer-recorder.ts';
import { checkFill, checkLevels, checkPrint, checkResult, checkSpan, checkStage } from './stage-checks.ts';
import { WIDE_LIMITS } from './stage-limits.ts';
import { STAGE_STRATEGY, VenueLoop } from './venue-loop.ts';
import {
  STAGE_START,
  type BookLevels,
  type FillSpec,
  type StageListing,
  type PrintSpec,
  type StageOptions,
  listMarkets,
  payoutOf,
  levelsOf,
} from './stage-units.ts';

/** An intent of the strategy, with its time and its handler. */
export interface GivenIntent {
  /** Time at which the handler answered. */
  readonly at: Micros;
  /** The handler that returned the intent, such as `onBook`. */
  readonly from: string;
  /** The intent as the handler returned it. */
  readonly intent: Intent;
}

/** An intent that risk denied, with the denial. */
export interface GivenDenial {
  /** The intent as the handler returned it. */
  readonly intent: Intent;
  /** The denial with its code and the figures compared. */
  readonly denial: Denial;
  /** The denial as a sentence with its figures. */
  readonly why: string;
}

interface LevelChange {
  readonly side: BookSide;
  readonly price: Price;
  readonly change: Qty;
}

/**
 * Makes a stage for a strategy and starts trading.
 * @throws {AssertionFault} for an unknown or wrong option, and parameters or limits that do not fit. The stage's methods
 * throw it for a wrong argument, and after a fault of the strategy until `halted` is read.
 * @example
 * import { cents, contracts, defineStrategy, z } from 'presage-trading';
 * import { stage } from 'presage-trading/testing';
 *
 * const strategy = defineStrategy({
 *   name: 'bidder',
 *   params: z.strictObject({ qtyContracts: z.number() }),
 *   setup: ({ params }) => ({
 *     onBook: ({ market }) => {
 *       const bid = { price: cents(40), qty: contracts(params.qtyContracts) };
 *       return [{ type: 'quote', market, bid, ask: null }];
 *     },
 *   }),
 * });
 * const scene = stage(strategy, { params: { qtyContracts: 5 }, markets: ['RAIN'] });
 * scene.book('RAIN', { bids: [[40, 100]], asks: [[46, 100]] });
 * const [order] = scene.orders('RAIN');
 * order?.price; // 4000
 * if (order) scene.fill(order);
 * scene.position('RAIN').qty; // 500
 */
export const stage = (strategy: Strategy, options: StageOptions = {}): Stage => new Stage(strategy, options);

/** One strategy on its stage: the real engine and risk with a simulated venue. Calls can be chained. */
export class Stage {
  readonly #strategy: Strategy;
  readonly #options: StageOptions;
  readonly #tickers = new TickerTable();
  readonly #listed: StageListing;
  readonly #loop: VenueLoop;
  readonly #capabilities;
  #view: StrategyView | null = null;
  #ledgers: SavedLedgers | null = null;
  #prints = 0;
  readonly #settled = new Set<MarketIndex>();
  /** Markets without a book. Added by `loseBook`; removed by `book`. */
  readonly #withoutBook = new Set<MarketIndex>();
  /** Number of intents that `newIntents` has returned. */
  #returnedIntents = 0;
  /** A fault of the strategy that the test has not read yet. */
  #unreadFault: string | null = null;
  readonly #intents: GivenIntent[] = [];
  readonly #denials: GivenDenial[] = [];
  /** Everything that the engine reported, as logs and reports get it. */
  readonly notices: Notice[] = [];
  /** The strategy's saved state after a round trip through JSON. Before the first save, it is the option `saved`. */
  saved: unknown;

  /**
   * Makes the stage and starts trading, as `stage` does.
   * @throws {AssertionFault} for an unknown or wrong option, and parameters or limits that do not fit.
   */
  constructor(strategy: Strategy, options: StageOptions) {
    checkStage(strategy, options);
    this.#strategy = strategy;
    this.#options = options;
    this.#listed = listMarkets(options, this.#tickers);
    this.#capabilities = tradeApiReplayParts({ profile: serviceProfile, tickers: this.#tickers }).capabilities;
    const { cash = 1000, beginsAt = STAGE_START, saved } = options;
    this.saved = saved;
    this.#loop = new VenueLoop({ tickers: this.#tickers, capabilities: this.#capabilities, cash, now: beginsAt });
    this.#publishMarkets();
    this.#loop.startSession(this.#engineOptions(), this.#previousState());
  }

  #publishMarkets(): void {
    const at = this.#loop.now;
    for (const series of this.#listed.series) this.#loop.publishEvent({ kind: 'series', at, series });
    for (const group of this.#listed.groups) this.#loop.publishEvent({ kind: 'event-group', at, group });
    for (const market of this.#listed.markets) {
      this.#loop.publishEvent({ kind: 'market', at, market });
      this.#loop.publishRow({ kind: 'book-snapshot', at, exchangeAt: at, market: market.index, bids: [], asks: [] });
    }
  }

  #previousState(): RestoredState {
    return {
      ...NOTHING_RESTORED,
      ...(this.saved !== undefined && { saved: { [STAGE_STRATEGY]: this.saved } }),
      ...(this.#ledgers !== null && { books: this.#ledgers }),
    };
  }

  #engineOptions(): EngineOptions {
    const { params = {}, limits = {}, capital } = this.#options;
    const config: SetupConfig = {
      markets: universeSchema.parse({ events: this.#listed.groups.map(({ eventTicker }) => eventTicker) }),
      strategies: [strategySchema.parse({ name: STAGE_STRATEGY, file: 'stage', params, capital })],
      limits: limitsSchema.parse({ ...WIDE_LIMITS, ...limits }),
      budgets: budgetsSchema.parse({}),
      orders: ordersSchema.parse({}),
      upkeep: upkeepSchema.parse({}),
      clock: clockSchema.parse({}),
    };
    const bound = recordAnswers(this.#strategy.bind(STAGE_STRATEGY, params), {
      onIntent: (from, intent) => void this.#intents.push({ at: this.#loop.now, from, intent }),
      onView: (view) => (this.#view = view),
    });
    const venue = { capabilities: this.#capabilities, tickers: this.#tickers };
    const observe = (notice: Notice): void => this.#onNotice(notice);
    return engineOptions({ config, venue, strategies: [bound], hasKey: true, observe });
  }

  #onNotice(notice: Notice): void {
    this.notices.push(notice);
    if (notice.type === 'halt' && notice.halt.by === 'fault') this.#unreadFault = notice.halt.reason;
    if (notice.type === 'denied') {
      const { intent, denial } = notice;
      this.#denials.push({ intent, denial, why: describeDenial(denial) });
    }
    if (notice.type === 'saved') this.saved = JSON.parse(notice.json);
    if (notice.type === 'books') this.#ledgers = notice.books;
  }

  /**
   * Sets the quotes of others in a market, in place of the earlier quotes. Each level changes by itself, as on a feed, and
   * the strategy is called after each. Old levels go first: a strategy may see a book with one empty side meanwhile.
   */
  book(market: string, levels: BookLevels): this {
    this.#refuseFault();
    const index = this.#indexOf(market);
    checkLevels(levels, this.#gridOf(index));
    this.#advanceOne();
    if (this.#withoutBook.delete(index)) return this.#publishBook(index, levels);
    // Removes levels before it adds any: the book must not be crossed meanwhile.
    const changes = (['bid', 'ask'] as const).flatMap((side) => this.#changesOf(index, side, levelsOf(levels, side)));
    for (const each of changes) if (each.change < 0) this.#applyChange(index, each);
    for (const each of changes) if (each.change > 0) this.#applyChange(index, each);
    return this;
  }

  #publishBook(market: MarketIndex, levels: BookLevels): this {
    const at = this.#loop.now;
    const [bids, asks] = (['bid', 'ask'] as const).map((side) => [...levelsOf(levels, side)]);
    this.#loop.publishRow({ kind: 'book-snapshot', at, exchangeAt: at, market, bids: bids ?? [], asks: asks ?? [] });
    return this;
  }

  /**
   * Loses the book of a market, as after a gap in the feed: `onTrust` is called, and the book is live again with the next
   * `book`.
   */
  loseBook(market: string): this {
    this.#refuseFault();
    const index = this.#indexOf(market);
    this.#advanceOne();
    this.#withoutBook.add(index);
    this.#loop.publishEvent({ kind: 'feed-gap', at: this.#loop.now, markets: [index], reason: 'a gap in the feed' });
    return this;
  }

  #changesOf(market: MarketIndex, side: BookSide, wanted: ReadonlyMap<Price, Qty>): LevelChange[] {
    const { bids, asks } = this.#loop.venue.matching.levelsOf(market);
    const before = new Map(side === 'bid' ? bids : asks);
    const prices = [...new Set([...before.keys(), ...wanted.keys()])];
    return prices.map((price) => ({
      side,
      price,
      change: qty((wanted.get(price) ?? 0) - (before.get(price) ?? 0)),
    }));
  }

  #applyChange(market: MarketIndex, change: LevelChange): void {
    const at = this.#loop.now;
    this.#loop.publishRow({ kind: 'book-delta', at, exchangeAt: at, market, ...change });
  }

  /** Publishes a trade of others. The book does not change by itself: call `book` with what is left. */
  print(market: string, print: PrintSpec): this {
    this.#refuseFault();
    const index = this.#indexOf(market);
    checkPrint(print, this.#gridOf(index));
    this.#advanceOne();
    const trade = { side: print.taker, price: cents(print.cents), qty: contracts(print.contracts) };
    this.#trade(index, trade);
    return this;
  }

  #trade(market: MarketIndex, trade: { readonly side: Order['side']; readonly price: Price; readonly qty: Qty }): void {
    const at = this.#loop.now;
    const id = tradeId(`stage-${(this.#prints += 1)}`);
    this.#loop.publishRow({ kind: 'print', at, exchangeAt: at, market, tradeId: id, ...trade });
  }

  /**
   * Fills a resting order of ours. A public trade takes the quantity ahead of the order, and then the order.
   * @throws {AssertionFault} when there is no order, it does not rest, or less is left of it.
   */
  fill(order: Order, options: FillSpec = {}): this {
    this.#refuseFault();
    checkFill(order, options);
    const { contracts: count } = options;
    this.#advanceOne();
    const id = must(order.venueOrderId, `the venue order id of ${order.clientOrderId}`);
    const ahead = must(this.#loop.venue.matching.qtyAheadOf(id), `resting order ${order.clientOrderId}`);
    const wantedQty = count === undefined ? leavesQty(order) : contracts(count);
    this.#trade(order.market, { side: opposite(order.side), price: order.price, qty: qty(ahead + wantedQty) });
    return this;
  }

  /**
   * Closes the market, determines its result and pays it out. The result is `yes`, `no`, or the payout of a YES in
   * cents.
   * @throws {AssertionFault} when the market is finalized already.
   */
  settle(market: string, result: Outcome | number): this {
    this.#refuseFault();
    checkResult(result);
    const index = this.#indexOf(market);
    assert(!this.#settled.has(index), `settle: ${market} is finalized already`);
    this.#settled.add(index);
    const settlementValue = payoutOf(result);
    const outcome = { result: typeof result === 'number' ? ('scalar' as const) : result, settlementValue };
    for (const status of ['closed', 'determined', 'finalized'] as const) {
      this.#advanceOne();
      const at = this.#loop.now;
      const change = { status, ...(status !== 'closed' && outcome) };
      this.#loop.publishEvent({ kind: 'market-changed', at, exchangeAt: at, market: index, ...change });
    }
    return this;
  }

  /**
   * Lets time pass: timers and upkeep run, and markets close.
   * @throws {AssertionFault} when a strategy sets its timers for the present, again and again.
   */
  advance(milliseconds: number): this {
    this.#refuseFault();
    checkSpan(milliseconds);
    this.#loop.advance(milliseconds);
    return this;
  }

  /**
   * Stops the session, which cancels resting orders, and starts another session with the same account. The strategy
   * gets new handlers; its saved state and its positions remain.
   */
  restart(): this {
    this.#refuseFault();
    this.#loop.endSession();
    this.#loop.startSession(this.#engineOptions(), this.#previousState());
    return this;
  }

  /** Gives each event a time of its own. */
  #advanceOne(): void {
    this.#loop.advance(1);
  }

  /** Every intent of the strategy, oldest first. A restart keeps them. */
  get intents(): GivenIntent[] {
    this.#refuseFault();
    return this.#intents;
  }

  /** Every denied intent, oldest first. */
  get denials(): GivenDenial[] {
    this.#refuseFault();
    return this.#denials;
  }

  /**
   * The strategy's view of the present state.
   * @throws {AssertionFault} before the strategy has been started.
   */
  get view(): StrategyView {
    return must(this.#view, 'a view: the strategy has been started');
  }

  /** The time of the stage, in microseconds since the epoch. */
  get now(): Micros {
    return this.#loop.now;
  }

  /**
   * Returns a market by its ticker.
   * @throws {AssertionFault} when the stage has no market of that name.
   */
  market(name: string): Market {
    return this.view.market(this.#indexOf(name));
  }

  /** Returns the intents since the last call, without their times and handlers. */
  newIntents(): Intent[] {
    this.#refuseFault();
    const newest = this.#intents.slice(this.#returnedIntents);
    this.#returnedIntents = this.#intents.length;
    return newest.map(({ intent }) => intent);
  }

  /** The strategy's unfinished orders of one market, or of all markets. Oldest first within each market. */
  orders(market?: string): Order[] {
    this.#refuseFault();
    const markets = market === undefined ? this.#listed.markets.map(({ index }) => index) : [this.#indexOf(market)];
    return markets.flatMap((index) => [...this.view.orders(index)]);
  }

  /** Position of the account in a market. */
  position(market: string): Position {
    this.#refuseFault();
    return this.view.position(this.#indexOf(market));
  }

  /**
   * Reason of the latest halt, for example an error that the strategy threw; `null` before any halt. After a fault of the
   * strategy, only this can be read first: the other methods throw, so that no test passes because the strategy is halted.
   */
  get halted(): string | null {
    this.#unreadFault = null;
    const halts = this.notices.filter((notice) => notice.type === 'halt');
    return halts.at(-1)?.halt.reason ?? null;
  }

  /** A test that expects nothing of the strategy would pass after its fault. */
  #refuseFault(): void {
    if (this.#unreadFault !== null)
      throw new AssertionFault(
        `expected a strategy without a fault, found it halted: ${this.#unreadFault}; a test of the halt reads \`halted\` first`,
      );
  }

  #gridOf(index: MarketIndex): PriceGrid {
    return must(this.#listed.markets[index], `market ${index} of the stage`).grid;
  }

  #indexOf(name: string): MarketIndex {
    return must(this.#tickers.indexOf(ticker(name)), `market ${name} of the stage`);
  }
}
