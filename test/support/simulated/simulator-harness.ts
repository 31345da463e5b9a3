// An engine, a latency link and a simulated venue in one pure loop under a virtual clock. The test provides the tape:
// its rows take effect at the venue when the test adds them, and reach the engine over the link like every other
// message.
import type { Command, PlaceCommand } from '../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type MarketIndex, type TickerTable, eventTicker, seriesTicker, tradeId } from '../../../src/domain/ids.ts';
import type { EventGroup, Market, Series } from '../../../src/domain/market.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { type Micros, type Money, type Price, dollars, micros, qty } from '../../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../../src/engine.ts';
import { batchOrders } from '../../../src/execution/orders/order-batches.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import type { OtherEvent } from '../../../src/tape/baked/tape-rows.ts';
import { LatencyLink } from '../../../src/venues/simulated/models/latency-link.ts';
import { TapeFillSimulator } from '../../../src/venues/simulated/matching/fill-simulator.ts';
import type { LatencyModel, VenueEvent } from '../../../src/venues/simulated/simulator-interfaces.ts';
import { pessimistic } from '../../../src/venues/simulated/models/queue-models.ts';
import { Simulator, type SimulatorOptions } from '../../../src/venues/simulated/simulator.ts';
import { capabilitiesWith } from '../sessions/capabilities.ts';
import { BEGIN, aMarket, levels, tickerTable } from '../engine/builders.ts';
import { engineOptions } from '../engine/engine-harness.ts';

/** A tape event without its time. */
export type UntimedTapeEvent = OtherEvent extends infer Each
  ? Each extends { at: Micros }
    ? Omit<Each, 'at'>
    : never
  : never;

/** Capabilities of the tests' venue: all of them, at a hundred requests per second. */
export const CAPABILITIES = capabilitiesWith({ model: 'rolling-window', count: 100, windowMs: 1000 });

/** Latency of twenty milliseconds on every leg. */
const STEADY: LatencyModel = { name: 'steady', drawDelay: () => 20_000 };

export const aGroup = (over: Partial<EventGroup> = {}): EventGroup => ({
  eventTicker: eventTicker('EVENT'),
  seriesTicker: seriesTicker('SERIES'),
  title: 'Event',
  isExclusive: false,
  tickers: [],
  ...over,
});

export const aSeries = (over: Partial<Series> = {}): Series => ({
  ticker: seriesTicker('SERIES'),
  title: 'Series',
  category: 'test',
  frequency: 'once',
  feeType: 'quadratic_with_maker_fees',
  feeMultiplierPercent: 100,
  ...over,
});

export interface SimulatorHarnessOptions {
  readonly markets?: readonly Market[];
  readonly strategies?: readonly BoundStrategy[];
  readonly engine?: Partial<EngineOptions>;
  readonly venue?: Partial<SimulatorOptions>;
  readonly latency?: LatencyModel;
  /** The most orders, or cancels, in one request. Default: 1. */
  readonly batchMax?: number;
}

const SPIN_MAX = 20;

export class SimulatorHarness {
  readonly tickers: TickerTable;
  readonly link: LatencyLink;
  readonly venue: Simulator;
  readonly engine: Engine;
  readonly notices: Notice[] = [];
  readonly sent: Command[] = [];
  /** Function that runs after every event. */
  afterEach: () => void = () => undefined;
  now: Micros = BEGIN;
  readonly #batchMax: number;
  #trades = 0;
  #spins = 0;

  constructor({
    markets = [aMarket(0)],
    strategies = [],
    engine,
    venue,
    latency = STEADY,
    batchMax = 1,
  }: SimulatorHarnessOptions = {}) {
    this.#batchMax = batchMax;
    this.tickers = tickerTable(markets.length);
    this.link = new LatencyLink({ latency, draw: () => 0.5, venueTime: () => this.venue.now });
    this.venue = new Simulator({
      tickers: this.tickers,
      capabilities: CAPABILITIES,
      openingCash: dollars(1000),
      sink: {
        publish: (event) => this.link.publish(event),
        sendAnswer: (events) => this.link.sendAnswer(events),
        onListChanged: () => this.engine.onListChanged(this.venue.now),
      },
      openMatching: (options) =>
        new TapeFillSimulator({ ...options, queue: pessimistic, selfTrade: 'cancel-incoming' }),
      fees: { fallback: 'quadratic_with_maker_fees', multiplierPercent: 100 },
      ...venue,
    });
    this.venue.now = BEGIN;
    const observe = (notice: Notice): void => void this.notices.push(notice);
    this.engine = new Engine({ ...engineOptions(this.tickers, observe), strategies, isFeedLossless: true, ...engine });
    this.applyTapeEvent({ kind: 'series', series: aSeries() });
    this.applyTapeEvent({ kind: 'event-group', group: aGroup({ tickers: markets.map(({ ticker }) => ticker) }) });
    for (const market of markets) {
      this.applyTapeEvent({ kind: 'market', market });
      this.setBook(market.index, [[45, 10]], [[55, 10]]);
    }
  }

  /** Starts, connects, and runs until the engine is expected to trade. */
  startTrading(milliseconds = 1000): this {
    this.step({ kind: 'start', at: this.now, session: 's', carried: NOTHING_RESTORED });
    this.venue.connectFeed();
    return this.run(milliseconds);
  }

  // Rows of the tape:

  applyTapeEvent(fact: UntimedTapeEvent): void {
    const event = { ...fact, at: this.now } as OtherEvent;
    this.venue.applyTapeEvent(event);
    if (this.engine !== undefined) this.link.publish(fact);
    this.afterEach();
  }

  /** Replaces the book. Levels are (cents, contracts). */
  setBook(
    market: MarketIndex,
    bids: readonly (readonly [number, number])[],
    asks: readonly (readonly [number, number])[],
  ): void {
    const book = { bids: levels(...bids), asks: levels(...asks) };
    this.venue.matching.applySnapshot(market, book.bids, book.asks);
    this.#row({ kind: 'book-snapshot', exchangeAt: this.now, market, ...book });
  }

  /** Changes a level, in hundredths of a contract. */
  changeLevel(market: MarketIndex, side: 'bid' | 'ask', at: { readonly price: Price; readonly change: number }): void {
    const delta = { market, side, price: at.price, change: qty(at.change) };
    this.venue.matching.applyDelta(delta);
    this.#row({ kind: 'book-delta', exchangeAt: this.now, ...delta });
  }

  /** Adds a print; the side is the taker's. */
  addPrint(market: MarketIndex, side: Side, at: { readonly price: Price; readonly qty: number }): void {
    const print = { market, side, price: at.price, qty: qty(at.qty) };
    this.venue.matching.applyPrint(print);
    this.#trades += 1;
    this.#row({ kind: 'print', exchangeAt: this.now, tradeId: tradeId(`tape-${this.#trades}`), ...print });
  }

  #row(row: VenueEvent & { readonly market: MarketIndex }): void {
    if ((this.venue.streamedFrom[row.market] ?? Number.POSITIVE_INFINITY) < this.now) this.link.publish(row);
    this.afterEach();
  }

  // Steps and time:

  step(event: EngineEvent): void {
    const commands = this.engine.step(event);
    this.sent.push(...commands);
    for (const request of batchOrders(commands, { batchMax: this.#batchMax })) this.link.sendCommand(request, this.now);
    this.afterEach();
  }

  /** Runs for some milliseconds. */
  run(milliseconds: number): this {
    const end = micros(this.now + milliseconds * 1000);
    for (let next = this.#nextAt(); next <= end; next = this.#nextAt()) {
      this.#countSpins(next);
      this.#advance(micros(next));
      this.#happen();
    }
    this.#advance(end);
    return this;
  }

  #nextAt(): number {
    const never = Number.POSITIVE_INFINITY;
    const wakes = Math.max(this.now, Math.min(this.engine.wakeAt() ?? never, this.venue.wakeAt() ?? never));
    return Math.min(this.link.nextAt(), wakes);
  }

  #happen(): void {
    if ((this.venue.wakeAt() ?? Number.POSITIVE_INFINITY) <= this.now) this.venue.runDue();
    else if (this.link.nextAt() <= this.now) this.#deliver();
    else this.step({ kind: 'timer', at: this.now });
    this.afterEach();
  }

  #deliver(): void {
    const parcel = this.link.takeNext()!;
    if (parcel.leg !== 'order') return this.step(parcel.event);
    const { command, sentAt } = parcel;
    if (command.type === 'batch') this.venue.handleBatch(command, sentAt);
    else this.venue.handleCommand(command, sentAt);
  }

  #countSpins(next: number): void {
    this.#spins = next === this.now && this.link.nextAt() > this.now ? this.#spins + 1 : 0;
    if (this.#spins > SPIN_MAX) throw new Error('a part requests a wake-up again and again, and does nothing');
  }

  #advance(to: Micros): void {
    this.now = to;
    this.venue.now = to;
  }

  /** Stops, and runs until the engine has stopped. */
  stop(milliseconds = 10_000): this {
    this.step({ kind: 'stop', at: this.now, reason: 'test' });
    for (let passed = 0; passed < milliseconds && this.engine.session.phase !== 'stopped'; passed += 100) this.run(100);
    return this;
  }

  places(): PlaceCommand[] {
    return this.sent.flatMap((command) => (command.type === 'place' ? [command] : []));
  }

  noticesOf<Type extends Notice['type']>(type: Type): Extract<Notice, { type: Type }>[] {
    return this.notices.filter((notice) => notice.type === type) as Extract<Notice, { type: Type }>[];
  }

  get cash(): { readonly ours: Money; readonly theirs: Money } {
    return { ours: this.engine.state.portfolio.cash, theirs: this.venue.account.cash };
  }
}
