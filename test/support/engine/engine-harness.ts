// An engine and a scripted venue in one pure loop under a virtual clock: the live runtime without its surroundings.
// Every command is recorded with the state of its market's book when it left.
import type { Command, PlaceCommand } from '../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type TickerTable, eventTicker, strategyName } from '../../../src/domain/ids.ts';
import type { QuoteIntent } from '../../../src/domain/intent.ts';
import type { Market } from '../../../src/domain/market.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import { type Micros, cents, contracts, dollars, micros, qty } from '../../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../../src/engine.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN, M0, aMarket, tickerTable, wideLimits } from './builders.ts';
import { ScriptedVenue } from './scripted-venue.ts';

export interface EngineHarnessOptions {
  /** The venue of a harness that has died; default: a new one. */
  readonly venue?: ScriptedVenue;
  readonly strategies?: readonly BoundStrategy[];
  readonly markets?: readonly Market[];
  readonly engine?: Partial<EngineOptions>;
}

/** A command, the time at which it left, and the state of its market's book then. */
export interface SentCommand {
  readonly at: Micros;
  readonly command: Command;
  readonly wasLive: boolean;
}

/** A strategy with the given handlers, in every market. */
export const aStrategy = (handlers: Handlers, name = 'maker'): BoundStrategy => ({
  name: strategyName(name),
  selector: {},
  handlers,
});

/** A test quote: five contracts at 40 and at 60 cents. */
export const aQuote = (over: Partial<QuoteIntent> = {}): QuoteIntent => ({
  type: 'quote',
  market: M0,
  bid: { price: cents(40), qty: contracts(5) },
  ask: { price: cents(60), qty: contracts(5) },
  ...over,
});

/** Quotes 40 to 60 in every market whose book changes. */
export const quoter = (over: Partial<QuoteIntent> = {}): Handlers => ({
  onBook: ({ market }) => [aQuote({ market, ...over })],
});

/**
 * The same quotes, but only when a level behind the touch changes: not when books are shown at the start of trading.
 */
export const depthQuoter = (over: Partial<QuoteIntent> = {}): Handlers => ({
  onBook: ({ market, isTouch }) => (isTouch ? undefined : [aQuote({ market, ...over })]),
});

/** Quotes at the touch on both sides; every seventh time it cancels everything and takes liquidity. */
export function follower(): BoundStrategy {
  let count = 0;
  return aStrategy({
    onBook({ market }, view) {
      const { bestBid, bestAsk } = view.book(market);
      if (bestBid === null || bestAsk === null) return undefined;
      count += 1;
      const [bid, ask] = [bestBid, bestAsk].map((at) => ({ price: at, qty: contracts(5) }));
      const take = {
        type: 'place',
        market,
        side: 'buy',
        price: bestAsk,
        qty: contracts(2),
        timeInForce: 'ioc',
      } as const;
      return count % 7 === 0 ? [{ type: 'cancel-all', market }, take] : [aQuote({ market, bid: bid!, ask: ask! })];
    },
  });
}

const SPIN_MAX = 20;

/** The engine options of every harness. */
export const engineOptions = (tickers: TickerTable, observe: (notice: Notice) => void): EngineOptions => ({
  tickers,
  strategies: [],
  limits: wideLimits(),
  universe: { tickers: [], events: [eventTicker('EVENT')], series: [] },
  hasKey: true,
  budgets: {
    read: { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 },
    trade: { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 },
  },
  cost: () => 1,
  cancelReserve: 10,
  careReserve: 20,
  inFlightMax: { read: 10, trade: 10 },
  backoff: (attempt) => micros(attempt * 100_000),
  qtyStep: qty(100),
  venueTerms: {
    canPostOnly: true,
    canReduceOnly: true,
    timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
    priceMin: cents(1),
    priceMax: cents(99),
  },
  orderDelayMsMax: 2000,
  graceMs: 2000,
  lookbackMs: 10_000,
  policy: { ...CAREFUL_POLICY, canShrink: true },
  settledGraceMs: 60_000,
  timetable: { fills: 2000, compare: 3000, probe: 1000, audit: 700, markets: 30_000 },
  clock: { offsetWarnMs: 2000, offsetMsMax: 10_000 },
  observe,
});

/** An engine with its venue. */
export class EngineHarness {
  readonly venue: ScriptedVenue;
  readonly engine: Engine;
  readonly notices: Notice[] = [];
  readonly sent: SentCommand[] = [];
  now: Micros = BEGIN;
  #spins = 0;

  constructor({ strategies = [], markets = [aMarket(0)], engine = {}, venue }: EngineHarnessOptions = {}) {
    const tickers = tickerTable(markets.length);
    this.venue = venue ?? new ScriptedVenue(markets, dollars(1000), BEGIN);
    this.now = this.venue.now;
    const observe = (notice: Notice): void => void this.notices.push(notice);
    this.engine = new Engine({ ...engineOptions(tickers, observe), strategies, ...engine });
    for (const { index } of venue === undefined ? markets : []) {
      this.venue.changeLevel(index, 'bid', { price: cents(45), change: 1000 });
      this.venue.changeLevel(index, 'ask', { price: cents(55), change: 1000 });
    }
  }

  /** Starts, connects, and runs until the session trades. */
  startTrading(): this {
    this.start();
    return this.run(50);
  }

  start(): void {
    this.step({ kind: 'start', at: this.now, session: 's', carried: NOTHING_RESTORED });
    this.venue.feedUp();
  }

  step(event: EngineEvent): void {
    for (const command of this.engine.step(event)) {
      const wasLive = command.type === 'place' && this.engine.state.books.isLive(command.market);
      this.sent.push({ at: this.now, command, wasLive });
      this.venue.acceptCommand(command);
    }
  }

  /** Lets some milliseconds pass. */
  run(milliseconds: number): this {
    const end = micros(this.now + milliseconds * 1000);
    for (;;) {
      const eventAt = this.venue.nextAt();
      const wakeAt = this.engine.wakeAt();
      const next = Math.min(
        eventAt ?? Number.POSITIVE_INFINITY,
        Math.max(this.now, wakeAt ?? Number.POSITIVE_INFINITY),
      );
      if (next > end) break;
      this.#countSpins(eventAt !== next && next === this.now);
      this.#advance(micros(next));
      if (eventAt === next) this.step(this.venue.takeNext()!);
      else this.step({ kind: 'timer', at: this.now });
    }
    this.#advance(end);
    return this;
  }

  #countSpins(isSpinning: boolean): void {
    this.#spins = isSpinning ? this.#spins + 1 : 0;
    if (this.#spins > SPIN_MAX) throw new Error('the engine spins: it requests wake-ups and does nothing');
  }

  #advance(to: Micros): void {
    this.now = to;
    this.venue.now = to;
  }

  /** Stops, and runs until the session has stopped. */
  stop(milliseconds = 10_000): this {
    this.step({ kind: 'stop', at: this.now, reason: 'test' });
    for (let passed = 0; passed < milliseconds && this.engine.session.phase !== 'stopped'; passed += 100) this.run(100);
    return this;
  }

  places(): PlaceCommand[] {
    return this.sent.flatMap(({ command }) => (command.type === 'place' ? [command] : []));
  }

  commands<Type extends Command['type']>(type: Type): Extract<Command, { type: Type }>[] {
    return this.sent.map(({ command }) => command).filter((command) => command.type === type) as Extract<
      Command,
      { type: Type }
    >[];
  }

  /** The notices of one kind. */
  noticesOf<Type extends Notice['type']>(type: Type): Extract<Notice, { type: Type }>[] {
    return this.notices.filter((notice) => notice.type === type) as Extract<Notice, { type: Type }>[];
  }

  phases(): string[] {
    return this.noticesOf('phase').map(({ phase }) => phase);
  }
}
