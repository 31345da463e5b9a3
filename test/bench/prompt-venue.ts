// A venue of many markets for benchmarks in virtual time. It accepts every order and every cancel, and answers each
// request after the same delay. A placement costs it the same however many markets and orders there are.
import type { CancelCommand, Command, PlaceCommand, ReadCommand } from '../../src/domain/venue-command.ts';
import type { BookSide, EngineEvent, OrderReport } from '../../src/domain/event.ts';
import { type EventTicker, type MarketIndex, type VenueOrderId, venueOrderId } from '../../src/domain/ids.ts';
import type { EventGroup, Market, Series } from '../../src/domain/market.ts';
import {
  type Micros,
  NO_QTY,
  type Price,
  type Qty,
  addQty,
  dollars,
  micros,
  subtractQty,
} from '../../src/domain/units.ts';
import { type UntimedEvent, accountAnswer } from '../support/engine/account-reads.ts';
import { VenueBooks } from '../support/engine/venue-books.ts';
import { VenueLedger } from '../support/engine/venue-ledger.ts';

/** Time from a request to its answer, and to the message about it on the feed. Microseconds. */
const DELAY = 20_000;
/** Rows of a page of orders, fills or positions. */
const PAGE_SIZE = 1000;
/** Every book is in one stream, as the books of one subscription are. */
export const BOOK_STREAM = 1;

/** One venue with its account. */
export class PromptVenue {
  readonly #series: Series;
  readonly #markets: readonly Market[];
  readonly #groups = new Map<EventTicker, Market[]>();
  readonly #books = new VenueBooks();
  readonly #account = new VenueLedger(dollars(100_000));
  readonly #resting = new Map<VenueOrderId, OrderReport>();
  /** The orders of the list that is being read. */
  #listed: readonly OrderReport[] = [];
  #orders = 0;
  #newest: VenueOrderId | null = null;
  /** Events on their way, the first to arrive at the head. All are equally long on their way. */
  readonly #sent: EngineEvent[] = [];
  #received = 0;
  now: Micros;

  /** @param markets By market number. All are of the series. */
  constructor(series: Series, markets: readonly Market[], now: Micros) {
    this.#series = series;
    this.#markets = markets;
    for (const market of markets) {
      this.#books.openBook(market.index);
      const members = this.#groups.get(market.eventTicker);
      if (members) members.push(market);
      else this.#groups.set(market.eventTicker, [market]);
    }
    this.now = now;
  }

  /** Opens the feed with its private channels. */
  connectFeed(): void {
    this.#send({ kind: 'feed-up', connection: 1 });
    for (const channel of ['fills', 'orders', 'positions'] as const)
      this.#send({ kind: 'feed-channel', channel, isUp: true, reason: 'subscribed' });
  }

  /** Changes a level. The caller passes the change on to the engine. */
  changeLevel(market: MarketIndex, side: BookSide, at: { readonly price: Price; readonly change: number }): void {
    this.#books.changeLevel(market, side, at);
  }

  /** Trades a quantity of the newest order, if it still rests. */
  tradeNewest(size: Qty): void {
    const order = this.#newest === null ? undefined : this.#resting.get(this.#newest);
    if (order === undefined || order.leavesQty <= size) return;
    const traded = {
      ...order,
      filledQty: addQty(order.filledQty, size),
      leavesQty: subtractQty(order.leavesQty, size),
    };
    this.#resting.set(order.venueOrderId, traded);
    this.#send({ kind: 'fill', fill: this.#account.recordTrade(order, size, this.now) });
    this.#send({ kind: 'order-updated', order: traded });
  }

  /** Number of our orders that rest. */
  get restingCount(): number {
    return this.#resting.size;
  }

  /** The time of the next event; infinite when none is on its way. */
  nextAt(): number {
    return this.#sent[this.#received]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Removes and returns the next event. */
  takeNext(): EngineEvent {
    const event = this.#sent[this.#received];
    if (event === undefined) throw new Error('no event of the venue is on its way');
    this.#received += 1;
    if (this.#received === this.#sent.length) this.#sent.length = this.#received = 0;
    return event;
  }

  #send(event: UntimedEvent): void {
    this.#sent.push({ ...event, at: micros(this.now + DELAY) });
  }

  /** Carries a command out, and sends its answer. */
  acceptCommand(command: Command): void {
    switch (command.type) {
      case 'subscribe':
        for (const { index } of this.#markets)
          this.#send({
            kind: 'book-snapshot',
            exchangeAt: this.now,
            market: index,
            stream: BOOK_STREAM,
            ...this.#books.levels(index),
          });
        return;
      case 'place':
        return this.#place(command);
      case 'cancel':
        return this.#cancel(command);
      case 'read':
        return this.#read(command);
      case 'amend':
      case 'decrease':
      case 'unsubscribe':
      case 'resync':
      case 'renew':
      case 'renew-private':
      case 'reconnect':
        throw new Error(`the benchmark expects no ${command.type}`);
    }
  }

  #answer({ id: commandId }: Command): void {
    this.#send({ kind: 'answered', commandId, ok: true, clockOffset: null });
  }

  #place(command: PlaceCommand): void {
    const { clientOrderId, market, side, price, qty: leavesQty } = command;
    this.#orders += 1;
    const { now } = this;
    const order: OrderReport = {
      venueOrderId: venueOrderId(`v-${this.#orders}`),
      clientOrderId,
      market,
      side,
      price,
      status: 'working',
      filledQty: NO_QTY,
      leavesQty,
      createdAt: now,
      updatedAt: now,
      reason: null,
    };
    this.#newest = order.venueOrderId;
    this.#resting.set(order.venueOrderId, order);
    this.#send({ kind: 'order-updated', order });
    this.#answer(command);
    const figures = { exchangeAt: now, filledQty: NO_QTY, leavesQty, isFinished: false };
    this.#send({ kind: 'order-accepted', clientOrderId, venueOrderId: order.venueOrderId, ...figures });
  }

  #cancel(command: CancelCommand): void {
    const { clientOrderId } = command;
    const order = this.#resting.get(command.venueOrderId);
    if (order === undefined) throw new Error(`order ${command.venueOrderId} does not rest`);
    this.#resting.delete(order.venueOrderId);
    this.#send({ kind: 'order-updated', order: { ...order, status: 'canceled', leavesQty: NO_QTY } });
    this.#answer(command);
    this.#send({ kind: 'cancel-accepted', clientOrderId, reducedBy: order.leavesQty });
  }

  #read(command: ReadCommand): void {
    this.#answer(command);
    const { fills, settlements, positions, cash } = this.#account;
    // Cash that orders reserve is left in: the engine knows bounds of what they reserve, and no exact amount.
    const ledger = { fills, settlements, positions, available: cash, now: this.now, pageSize: PAGE_SIZE };
    const account = accountAnswer(command, { ...ledger, orders: this.#ordersFor(command) });
    if (account !== null) this.#send(account);
    else for (const event of this.#publicAnswer(command)) this.#send(event);
  }

  /** The orders that an answer may show. The pages of one list show the orders of one moment. */
  #ordersFor({ target, cursor }: ReadCommand): readonly OrderReport[] {
    if (target.what === 'orders' && cursor === null) this.#listed = [...this.#resting.values()];
    if (target.what !== 'order') return this.#listed;
    const order = this.#resting.get(target.venueOrderId);
    return order === undefined ? [] : [order];
  }

  #publicAnswer({ id: commandId, target }: ReadCommand): readonly UntimedEvent[] {
    switch (target.what) {
      case 'status':
        return [{ kind: 'exchange-status', isActive: true, isTrading: true }];
      case 'series':
        return [{ kind: 'series', series: this.#series }];
      case 'fee-changes':
        return [{ kind: 'fees-scheduled', seriesTicker: target.seriesTicker, changes: [] }];
      case 'events':
        return [...this.#listing(), { kind: 'markets-listed', commandId, cursor: null }];
      case 'book':
        return [{ kind: 'book-poll', askedAt: this.now, market: target.market, ...this.#books.levels(target.market) }];
      default:
        throw new Error(`the benchmark expects no read of ${target.what}`);
    }
  }

  /** Every event group, each followed by its markets. */
  #listing(): UntimedEvent[] {
    return [...this.#groups].flatMap(([name, members]) => [
      { kind: 'event-group', group: this.#groupOf(name, members) },
      ...members.map((market): UntimedEvent => ({ kind: 'market', askedAt: this.now, market })),
    ]);
  }

  #groupOf(name: EventTicker, members: readonly Market[]): EventGroup {
    const tickers = members.map(({ ticker }) => ticker);
    return { eventTicker: name, seriesTicker: this.#series.ticker, title: 'event', isExclusive: false, tickers };
  }
}
