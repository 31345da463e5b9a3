// The phases of a session: opening, trading, recovering, stopping. Start and recovery ask the venue the same
// questions; no order leaves before they are answered.
import { must } from '../domain/assert.ts';
import type { FeedAsk, MarketFilter, ReadTarget } from '../domain/command.ts';
import type { EventTicker, Ticker } from '../domain/ids.ts';
import { type Market, isSettled } from '../domain/market.ts';
import { type Order, isFinished } from '../domain/order.ts';
import { type Micros, EPOCH } from '../domain/units.ts';
import type { Readiness } from '../risk/proposal.ts';
import type { State } from '../state/state.ts';
import type { Notice } from './notice.ts';
import type { Phase } from './phase.ts';
import type { Completed, Reader } from './reader.ts';
import { cashDrift, isQuiet, missingOrders, neverArrived, positionDrifts } from './reconcile.ts';

/** Which markets a session is about. */
export interface Universe {
  readonly tickers: readonly Ticker[];
  readonly events: readonly EventTicker[];
}

export interface SessionOptions {
  readonly state: State;
  readonly reader: Reader;
  readonly universe: Universe;
  /** Whether there is a key: without one the session only watches. */
  readonly hasKey: boolean;
  /** How long after it was sent an order may still appear at the venue. Milliseconds. */
  readonly graceMs: number;
  /** How far back past fills are read, for what may be told of them again. Milliseconds. */
  readonly lookbackMs: number;
  readonly observe: (notice: Notice) => void;
  readonly sendFeed: (ask: FeedAsk) => void;
  readonly cancel: (id: ReturnType<State['orders']['allOpen']>[number]['clientOrderId']) => void;
  /** Takes an order for one of unknown fate. */
  readonly doubt: (id: ReturnType<State['orders']['allOpen']>[number]['clientOrderId'], why: string) => void;
  /** Ends an order that was proved never to have arrived. */
  readonly drop: (id: ReturnType<State['orders']['allOpen']>[number]['clientOrderId'], why: string) => void;
}

/** What is still to be read before the phase can end. */
type Need = 'positions' | 'balance' | 'fills' | 'orders';

/** Where the session is, and what it waits for. */
export class Session {
  readonly #options: SessionOptions;
  readonly #state: State;
  #phase: Phase = 'idle';
  #needs = new Set<Need>();
  /** What must be read after that: fills before the positions and cash that they explain. */
  #steps: Need[][] = [];
  /** Market lists and event groups that discovery still waits for. */
  #listings = 0;
  #unknownGroups = new Set<EventTicker>();
  /** When the last complete list of fills was asked for; the start, before there is one. */
  #fillsReadAt: Micros = EPOCH;
  #isOpened = false;
  /** When we last learned of what changes our figures at the venue: a fill, a settlement, the end of an order. */
  #moneyMovedAt: Micros = EPOCH;
  /** When the figures that are needed were asked for: older ones do not count. */
  #neededAt: Micros = EPOCH;
  /** The last figures compared: zero drift is what a session should end with. */
  #drift: { positions: number; isCashEqual: boolean } | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** What the last full comparison with the venue found; `null` before the first. */
  get drift(): { readonly positions: number; readonly isCashEqual: boolean } | null {
    return this.#drift;
  }

  readiness(): Readiness {
    if (this.#phase === 'stopping' || this.#phase === 'closing' || this.#phase === 'stopped')
      return { type: 'stopping' };
    if (!this.#options.hasKey) return { type: 'not-ready', reason: 'watching only: no key' };
    if (this.#phase !== 'trading') return { type: 'not-ready', reason: this.#phase };
    return this.#state.feed.isUp ? { type: 'ready' } : { type: 'not-ready', reason: 'the feed is down' };
  }

  #enter(phase: Phase, why: string): void {
    this.#phase = phase;
    this.#options.observe({ type: 'phase', phase, why });
  }

  /** Begins: lists the markets. */
  start(now: Micros): void {
    this.#fillsReadAt = now;
    this.#enter('discovering', 'started');
    const { tickers, events } = this.#options.universe;
    const filters: MarketFilter[] = events.map((name) => ({ eventTicker: name }));
    if (tickers.length > 0) filters.push({ tickers });
    this.#listings = filters.length;
    this.#unknownGroups = new Set(events);
    this.#ask({ what: 'status' });
    for (const name of events) this.#ask({ what: 'event', eventTicker: name });
    for (const by of filters) this.#ask({ what: 'markets', by });
    this.advance();
  }

  #ask(target: ReadTarget): void {
    this.#options.reader.ask(target, this.#state.now);
  }

  /** Takes a read that has come in whole. */
  complete(done: Completed): void {
    if (done.what === 'markets') this.#listings -= 1;
    if (done.what === 'orders') this.#checkOrders(done);
    if (done.what === 'order') this.#checkOrder(done);
    if (done.what === 'positions') this.#takePositions(done);
    if (done.what === 'balance') this.#takeBalance(done);
    if (done.what === 'fills') this.#takeFills(done);
    this.advance();
  }

  /** An event group has been described. */
  groupKnown(name: EventTicker): void {
    this.#unknownGroups.delete(name);
    this.advance();
  }

  #discovered(): void {
    const tickers = this.#liveTickers();
    if (tickers.length > 0) this.#options.sendFeed({ type: 'subscribe', tickers });
    if (!this.#options.hasKey) return this.#enter('trading', `watching ${tickers.length} markets`);
    this.#enter('clearing', `${tickers.length} markets`);
    this.#need(['orders']);
  }

  #liveTickers(): Ticker[] {
    return this.#state.markets
      .all()
      .filter((market) => !isSettled(market.status))
      .map((market) => market.ticker);
  }

  /** Asks for the first step's figures now, and for the others' each when the one before is complete. */
  #need(...steps: Need[][]): void {
    const [first = [], ...later] = steps;
    this.#steps = later;
    this.#needs = new Set(first);
    this.#neededAt = this.#state.now;
    for (const need of first) this.#ask(this.#targetOf(need));
  }

  /** Whether all that was needed has come; asks for the next step's otherwise. */
  #isSatisfied(): boolean {
    if (this.#needs.size > 0) return false;
    if (this.#steps.length === 0) return true;
    this.#need(...this.#steps);
    return false;
  }

  #targetOf(need: Need): ReadTarget {
    switch (need) {
      case 'orders':
        return { what: 'orders', status: 'working', since: null };
      case 'fills':
        return { what: 'fills', since: this.fillsSince() };
      case 'balance':
      case 'positions':
        return { what: need };
    }
  }

  /** From when on fills must be read again: some before the last complete list was asked for, because lists may lag. */
  fillsSince(): Micros {
    return Math.max(0, this.#fillsReadAt - this.#options.lookbackMs * 1000) as Micros;
  }

  #checkOrders(done: Extract<Completed, { what: 'orders' }>): void {
    if (done.target.status === 'any') {
      const { graceMs } = this.#options;
      for (const order of neverArrived(this.#state, done.rows, { askedAt: done.askedAt, graceMs }))
        this.#options.drop(order.clientOrderId, 'the venue never had it');
      return;
    }
    for (const venueOrderId of missingOrders(this.#state, done.rows, done.askedAt)) this.lookUp(venueOrderId);
    this.#gotten('orders', done.askedAt);
  }

  /** Looks an order up, unless that is being done. */
  lookUp(venueOrderId: Parameters<Reader['isLookingUp']>[0]): void {
    const order = this.#state.orders.allOpen().find((one) => one.venueOrderId === venueOrderId);
    if (!order?.venueOrderId || this.#options.reader.isLookingUp(venueOrderId)) return;
    this.#ask({ what: 'order', venueOrderId: order.venueOrderId });
  }

  #checkOrder(done: Extract<Completed, { what: 'order' }>): void {
    const order = this.#state.orders.byVenueId(done.target.venueOrderId);
    if (!order || isFinished(order.state)) return;
    if (done.order === null) return this.#missing(order, done.askedAt);
    // The venue says it has traded more: fills have been missed.
    if (done.order.filledQty > order.filledQty) this.#options.reader.askOnce(this.#targetOf('fills'), this.#state.now);
  }

  /** The venue knows no such order: a look-up may be behind the times, so it must say so again when the grace is over. */
  #missing(order: Order, askedAt: Micros): void {
    const why = 'the venue knows no such order';
    if (order.state !== 'unknown') this.#options.doubt(order.clientOrderId, why);
    else if (askedAt - order.changedAt >= this.#options.graceMs * 1000) this.#options.drop(order.clientOrderId, why);
  }

  #gotten(need: Need, askedAt: Micros): void {
    if (askedAt >= this.#neededAt) this.#needs.delete(need);
  }

  /**
   * Whether figures may be compared with ours. At the close a comparison is owed: what could not be compared is asked
   * for again.
   */
  #isComparable(need: 'positions' | 'balance', askedAt: Micros): boolean {
    // Without a feed, what trades and settles is not heard of in time.
    if (!this.#state.feed.isUp && this.#phase !== 'closing') return false;
    if (isQuiet(this.#state, this.#moneyMovedAt, askedAt)) return true;
    if (this.#phase === 'closing' && !this.#options.reader.isPending(need)) this.#steps.push([need]);
    return false;
  }

  #takePositions(done: Extract<Completed, { what: 'positions' }>): void {
    this.#gotten('positions', done.askedAt);
    if (!this.#isOpened) {
      for (const row of done.rows) this.#state.portfolio.openPosition(row);
      return;
    }
    if (!this.#isComparable('positions', done.askedAt)) return;
    const drifts = positionDrifts(this.#state, done.rows);
    this.#drift = { positions: drifts.length, isCashEqual: this.#drift?.isCashEqual ?? true };
    for (const drift of drifts) this.#options.observe({ type: 'position-drift', ...drift });
  }

  #takeBalance(done: Extract<Completed, { what: 'balance' }>): void {
    this.#gotten('balance', done.askedAt);
    if (!this.#isOpened) return this.#state.portfolio.openCash(done.available);
    if (!this.#isComparable('balance', done.askedAt)) return;
    const drift = cashDrift(this.#state, done.available);
    this.#drift = { positions: this.#drift?.positions ?? 0, isCashEqual: drift === null };
    if (drift) this.#options.observe({ type: 'cash-drift', ...drift });
  }

  #takeFills(done: Extract<Completed, { what: 'fills' }>): void {
    this.#gotten('fills', done.askedAt);
    if (done.askedAt > this.#fillsReadAt) this.#fillsReadAt = done.askedAt;
  }

  /** Learns when a fill, a settlement or the end of an order last changed our figures, by our clock. */
  noteMoney(at: Micros): void {
    if (at > this.#moneyMovedAt) this.#moneyMovedAt = at;
  }

  /** A market is new: one of the universe that discovery has not seen is streamed from now on. */
  marketJoined(market: Market): void {
    if (this.#phase === 'idle' || this.#phase === 'discovering' || isSettled(market.status)) return;
    const { tickers, events } = this.#options.universe;
    if (tickers.includes(market.ticker) || events.includes(market.eventTicker))
      this.#options.sendFeed({ type: 'subscribe', tickers: [market.ticker] });
  }

  /** Moves on when what was waited for is there. */
  advance(): void {
    switch (this.#phase) {
      case 'discovering':
        if (this.#listings === 0 && this.#unknownGroups.size === 0) this.#discovered();
        return;
      case 'clearing':
        if (this.#isSatisfied() && this.#state.orders.openCount === 0) this.#load();
        return;
      case 'loading':
      case 'recovering':
        if (this.#isSatisfied()) this.#trade();
        return;
      case 'stopping':
        if (this.#state.orders.openCount === 0) this.#close();
        return;
      case 'closing':
        if (this.#isSatisfied()) this.#enter('stopped', this.#summary());
        return;
      default:
    }
  }

  #load(): void {
    this.#enter('loading', 'nothing of ours rests');
    this.#need(['fills'], ['positions', 'balance']);
  }

  #trade(): void {
    this.#isOpened = true;
    this.#state.portfolio.open();
    this.#enter('trading', 'the account is known');
  }

  /** Reads every market of the universe again: what the feed may not have told of their lives. */
  refreshMarkets(): void {
    // Discovery counts the lists that it asked for: none may come in between.
    if (this.#phase === 'discovering' || this.#options.reader.isPending('markets')) return;
    for (const name of this.#options.universe.events) this.#ask({ what: 'markets', by: { eventTicker: name } });
    const { tickers } = this.#options.universe;
    if (tickers.length > 0) this.#ask({ what: 'markets', by: { tickers } });
  }

  /** The feed was lost and is back: everything that may have been missed is asked for. */
  recover(): void {
    this.refreshMarkets();
    if (this.#phase !== 'trading' && this.#phase !== 'recovering') return;
    if (!this.#options.hasKey) return;
    this.#enter('recovering', 'the feed is back');
    this.#need(['orders', 'fills'], ['positions', 'balance']);
  }

  /** Stops: the caller withdraws everything. */
  stop(reason: string): void {
    if (this.#phase === 'stopping' || this.#phase === 'closing' || this.#phase === 'stopped') return;
    const hadBegun = this.#isOpened;
    this.#need();
    this.#enter('stopping', reason);
    if (!hadBegun && this.#state.orders.openCount === 0) return this.#enter('stopped', 'nothing had been opened');
    this.advance();
  }

  #close(): void {
    this.#drift = null;
    this.#enter('closing', 'nothing of ours rests');
    this.#need(['fills'], ['positions', 'balance']);
  }

  #summary(): string {
    const drift = this.#drift;
    if (!drift) return 'no comparison was possible';
    const isEqual = drift.positions === 0 && drift.isCashEqual;
    if (isEqual) this.#options.observe({ type: 'reconciled', why: 'cash and every position equal the venue' });
    return isEqual
      ? 'reconciled'
      : `drift: ${drift.positions} positions, cash ${drift.isCashEqual ? 'equal' : 'differs'}`;
  }

  /** Continuous care: probes what is unknown, reads fills, compares figures. Called on the upkeep schedule. */
  upkeep(duty: 'fills' | 'compare' | 'probe'): void {
    if (!this.#options.hasKey || !(this.#isOpened || this.#phase === 'clearing')) return;
    const { reader } = this.#options;
    const { now } = this.#state;
    if (duty === 'fills') return reader.askOnce({ what: 'fills', since: this.fillsSince() }, now);
    if (duty === 'probe') return this.#probe();
    reader.askOnce({ what: 'orders', status: 'working', since: null }, now);
    reader.askOnce({ what: 'positions' }, now);
    reader.askOnce({ what: 'balance' }, now);
  }

  #probe(): void {
    const unknown = this.#state.orders.allOpen().filter((order) => order.state === 'unknown');
    for (const order of unknown) if (order.venueOrderId) this.lookUp(order.venueOrderId);
    const unnamed = unknown.filter((order) => order.venueOrderId === null);
    if (unnamed.length === 0) return;
    const oldest = must(
      unnamed.reduce((a, b) => (a.createdAt < b.createdAt ? a : b)),
      'oldest unknown order',
    );
    const since = Math.max(0, oldest.createdAt - this.#options.lookbackMs * 1000) as Micros;
    this.#options.reader.askOnce({ what: 'orders', status: 'any', since }, this.#state.now);
  }
}
