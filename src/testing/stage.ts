// A stage for one strategy: the real engine, risk and order handling with a simulated venue, and a script in place of the
// world. `stage(strategy)` sets it; what is said on it happens at once. Any test runner does; nothing here needs one.
import {
  budgetsSchema,
  clockSchema,
  ordersSchema,
  strategySchema,
  universeSchema,
  upkeepSchema,
} from '../config/bot-config.ts';
import { limitsSchema } from '../config/limit-fields.ts';
import { must } from '../domain/assert.ts';
import { type Denial, describeDenial } from '../domain/denial.ts';
import type { BookSide } from '../domain/event.ts';
import { type MarketIndex, TickerTable, ticker, tradeId } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { Market, Outcome } from '../domain/market.ts';
import { type CarriedOver, type KeptBooks, NOTHING_CARRIED } from '../domain/operator.ts';
import { type Order, leavesQty, opposite } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import { type Micros, type Price, type Qty, cents, contracts, qty } from '../domain/units.ts';
import type { EngineOptions } from '../engine.ts';
import type { Notice } from '../execution/notice.ts';
import { type SetupConfig, engineOptions } from '../runtime/setup.ts';
import type { StrategyView } from '../state/view.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { serviceProfile } from '../venues/trade-api/profiles/service.ts';
import { tradeApiReading } from '../venues/trade-api/venue.ts';
import { listening } from './listening.ts';
import { ON_STAGE, VenueLoop } from './venue-loop.ts';
import {
  BEGIN,
  type BookLevels,
  type FillWords,
  type Listed,
  type PrintWords,
  type StageOptions,
  listed,
  paidTo,
  sideOf,
} from './words.ts';

/** An intent as the strategy gave it, and when. */
export interface GivenIntent {
  readonly at: Micros;
  /** The handler that answered with it, such as `onBook`. */
  readonly from: string;
  readonly intent: Intent;
}

/** An intent that risk refused. */
export interface GivenDenial {
  readonly intent: Intent;
  readonly denial: Denial;
  /** The same as a sentence with its figures. */
  readonly why: string;
}

/** By how much a level of others changes. */
interface LevelChange {
  readonly side: BookSide;
  readonly price: Price;
  readonly change: Qty;
}

/** Wide enough that only what makes no sense is refused. */
const WIDE_LIMITS = {
  orderQtyMax: 100_000,
  orderCostMax: 100_000,
  positionQtyMax: 1_000_000,
  marketCostMax: 1_000_000,
  groupCostMax: 1_000_000,
  accountCostMax: 1_000_000,
  dailyLossMax: 1_000_000,
  drawdownMax: 1_000_000,
  workingOrdersMax: 10_000,
  ordersPerSecondMax: 10_000,
  priceMin: 0.01,
  priceMax: 0.99,
  priceDistanceMax: 0.99,
  bookAgeMax: '1m',
  closeGuard: '0s',
};

/**
 * Sets a stage for a strategy, and lets it begin to trade.
 * @throws {ZodError} when the parameters do not fit.
 * @example
 * const scene = stage(strategy, { params: { qtyContracts: 5 }, markets: ['RAIN'] });
 * scene.book('RAIN', { bids: [[40, 100]], asks: [[46, 100]] });
 * assert.equal(scene.orders('RAIN').length, 2);
 */
export const stage = (strategy: Strategy, options: StageOptions = {}): Stage => new Stage(strategy, options);

/** One strategy on its stage. */
export class Stage {
  readonly #strategy: Strategy;
  readonly #options: StageOptions;
  readonly #tickers = new TickerTable();
  readonly #listed: Listed;
  readonly #loop: VenueLoop;
  readonly #capabilities;
  #view: StrategyView | null = null;
  /** What it holds, as the engine told last. */
  #books: KeptBooks | null = null;
  #prints = 0;
  /** How many intents `newIntents` has told. */
  #told = 0;
  /** Every intent the strategy has given, oldest first; over restarts too. */
  readonly intents: GivenIntent[] = [];
  /** What risk refused, oldest first. */
  readonly denials: GivenDenial[] = [];
  /** What the engine told, as logs and reports have it. */
  readonly notices: Notice[] = [];
  /** What the strategy has kept for the next session, as JSON would give it back; `undefined` before the first time. */
  saved: unknown;

  constructor(strategy: Strategy, options: StageOptions) {
    this.#strategy = strategy;
    this.#options = options;
    this.#listed = listed(options, this.#tickers);
    this.#capabilities = tradeApiReading({ profile: serviceProfile, tickers: this.#tickers }).capabilities;
    const { cash = 1000, beginsAt = BEGIN, saved } = options;
    this.saved = saved;
    this.#loop = new VenueLoop({ tickers: this.#tickers, capabilities: this.#capabilities, cash, now: beginsAt });
    this.#list();
    this.#loop.open(this.#engineOptions(), this.#carried());
  }

  #list(): void {
    const at = this.#loop.now;
    for (const series of this.#listed.series) this.#loop.publish({ kind: 'series', at, series });
    for (const group of this.#listed.groups) this.#loop.publish({ kind: 'event-group', at, group });
    for (const market of this.#listed.markets) {
      this.#loop.publish({ kind: 'market', at, market });
      this.#loop.row({ kind: 'book-snapshot', at, exchangeAt: at, market: market.index, bids: [], asks: [] });
    }
  }

  /** What a session leaves to the next. */
  #carried(): CarriedOver {
    return {
      ...NOTHING_CARRIED,
      ...(this.saved !== undefined && { saved: { [ON_STAGE]: this.saved } }),
      ...(this.#books !== null && { books: this.#books }),
    };
  }

  #engineOptions(): EngineOptions {
    const { params = {}, limits = {}, capital } = this.#options;
    const config: SetupConfig = {
      markets: universeSchema.parse({ events: this.#listed.groups.map(({ eventTicker }) => eventTicker) }),
      strategies: [strategySchema.parse({ name: ON_STAGE, file: 'stage', params, capital })],
      limits: limitsSchema.parse({ ...WIDE_LIMITS, ...limits }),
      budgets: budgetsSchema.parse({}),
      orders: ordersSchema.parse({}),
      upkeep: upkeepSchema.parse({}),
      clock: clockSchema.parse({}),
    };
    const bound = listening(this.#strategy.bind(ON_STAGE, params), {
      intent: (from, intent) => void this.intents.push({ at: this.#loop.now, from, intent }),
      view: (view) => (this.#view = view),
    });
    const venue = { capabilities: this.#capabilities, tickers: this.#tickers };
    const observe = (notice: Notice): void => this.#take(notice);
    return engineOptions({ config, venue, strategies: [bound], hasKey: true, observe });
  }

  #take(notice: Notice): void {
    this.notices.push(notice);
    if (notice.type === 'denied') {
      const { intent, denial } = notice;
      this.denials.push({ intent, denial, why: describeDenial(denial) });
    }
    if (notice.type === 'saved') this.saved = JSON.parse(notice.json);
    if (notice.type === 'books') this.#books = notice.books;
  }

  // What happens

  /** What others bid and offer in a market, from now on; what was there before is gone. */
  book(market: string, levels: BookLevels): this {
    const index = this.#indexOf(market);
    this.#pass();
    // First what is gone and then what is new, so that no book is crossed on the way.
    const changes = (['bid', 'ask'] as const).flatMap((side) => this.#changes(index, side, sideOf(levels, side)));
    for (const each of changes) if (each.change < 0) this.#change(index, each);
    for (const each of changes) if (each.change > 0) this.#change(index, each);
    return this;
  }

  /** How the levels of a side differ from what is wanted. */
  #changes(market: MarketIndex, side: BookSide, wanted: ReadonlyMap<Price, Qty>): LevelChange[] {
    const { bids, asks } = this.#loop.venue.floor.levels(market);
    const before = new Map(side === 'bid' ? bids : asks);
    const prices = [...new Set([...before.keys(), ...wanted.keys()])];
    return prices.map((price) => ({
      side,
      price,
      change: qty((wanted.get(price) ?? 0) - (before.get(price) ?? 0)),
    }));
  }

  #change(market: MarketIndex, change: LevelChange): void {
    const at = this.#loop.now;
    this.#loop.row({ kind: 'book-delta', at, exchangeAt: at, market, ...change });
  }

  /** Others trade. The book does not follow by itself: `book` says what is left of it. */
  print(market: string, { cents: at, contracts: size, taker }: PrintWords): this {
    this.#pass();
    this.#trade(this.#indexOf(market), { side: taker, price: cents(at), qty: contracts(size) });
    return this;
  }

  #trade(market: MarketIndex, trade: { readonly side: Order['side']; readonly price: Price; readonly qty: Qty }): void {
    const at = this.#loop.now;
    const id = tradeId(`stage-${(this.#prints += 1)}`);
    this.#loop.row({ kind: 'print', at, exchangeAt: at, market, tradeId: id, ...trade });
  }

  /**
   * Somebody trades with an order of ours that rests, through whatever stands before it.
   * @throws {AssertionFault} when it does not rest.
   */
  fill(order: Order, { contracts: size }: FillWords = {}): this {
    this.#pass();
    const id = must(order.venueOrderId, `an order that the venue has taken, and not ${order.clientOrderId}`);
    const ahead = must(this.#loop.venue.floor.ahead(id), `an order that rests, and not ${order.clientOrderId}`);
    const wanted = size === undefined ? leavesQty(order) : contracts(size);
    this.#trade(order.market, { side: opposite(order.side), price: order.price, qty: qty(ahead + wanted) });
    return this;
  }

  /** The market closes, its result becomes known, and it is paid out: `yes`, `no`, or what each YES pays in cents. */
  settle(market: string, result: Outcome | number): this {
    const index = this.#indexOf(market);
    const settlementValue = paidTo(result);
    const outcome = { result: typeof result === 'number' ? ('scalar' as const) : result, settlementValue };
    for (const status of ['closed', 'determined', 'finalized'] as const) {
      this.#pass();
      const at = this.#loop.now;
      const change = { status, ...(status !== 'closed' && outcome) };
      this.#loop.publish({ kind: 'market-changed', at, exchangeAt: at, market: index, ...change });
    }
    return this;
  }

  /** Lets time pass: timers, upkeep, closes. */
  advance(milliseconds: number): this {
    this.#loop.pass(milliseconds);
    return this;
  }

  /**
   * Stops the session, which withdraws what rests, and begins another with the account as it is: new handlers of the same
   * strategy, given back what it kept and what it holds.
   */
  restart(): this {
    this.#loop.close();
    this.#loop.open(this.#engineOptions(), this.#carried());
    return this;
  }

  /** Every thing said is a millisecond after the one before. */
  #pass(): void {
    this.#loop.pass(1);
  }

  // What came of it

  /** What the strategy sees now. */
  get view(): StrategyView {
    return must(this.#view, 'a view: the strategy has been started');
  }

  get now(): Micros {
    return this.#loop.now;
  }

  /**
   * A market by its ticker.
   * @throws {AssertionFault} when the stage has none of that name.
   */
  market(name: string): Market {
    return this.view.market(this.#indexOf(name));
  }

  /** The intents given since this was last asked, without when and where. */
  newIntents(): Intent[] {
    const fresh = this.intents.slice(this.#told);
    this.#told = this.intents.length;
    return fresh.map(({ intent }) => intent);
  }

  /** The strategy's unfinished orders, oldest first: of one market, or of all. */
  orders(market?: string): Order[] {
    const markets = market === undefined ? this.#listed.markets.map(({ index }) => index) : [this.#indexOf(market)];
    return markets.flatMap((index) => [...this.view.orders(index)]);
  }

  /** What the account holds in a market. */
  position(market: string): Position {
    return this.view.position(this.#indexOf(market));
  }

  /** Why the strategy was halted, as it is when it throws; `null` while it runs. */
  get halted(): string | null {
    const halts = this.notices.filter((notice) => notice.type === 'halt');
    return halts.at(-1)?.halt.reason ?? null;
  }

  #indexOf(name: string): MarketIndex {
    return must(this.#tickers.indexOf(ticker(name)), `a market of the stage, and not ${name}`);
  }
}
