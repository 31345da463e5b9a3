// A venue small enough to read at one sitting: books, resting orders, cash and positions, and a scripted outcome for
// each request. Pure: it is given the time and returns its answers and feed messages with their times. Its ledger is
// the truth.
import type {
  AmendCommand,
  CancelCommand,
  Command,
  DecreaseCommand,
  PlaceCommand,
  ReadCommand,
  RequestCommand,
} from '../../../src/domain/venue-command.ts';
import type { BookSide, EngineEvent, OrderReport } from '../../../src/domain/event.ts';
import { type MarketIndex, venueOrderId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { type Position, collateral } from '../../../src/domain/position.ts';
import { type Micros, type Money, type Price, type Qty, micros, money, qty } from '../../../src/domain/units.ts';

import { type AccountLedger, type UntimedEvent, accountAnswer } from './account-reads.ts';
import type { Resting, Script } from './script.ts';
import { SERIES, listingAnswer } from './listing.ts';
import { VenueBooks } from './venue-books.ts';
import { FEE, VenueLedger } from './venue-ledger.ts';
import { Wire } from './wire.ts';

const PRIVATE = ['fills', 'orders', 'positions'] as const;

export { FEE };

/** The scripted venue. */
export class ScriptedVenue {
  readonly #markets: Map<MarketIndex, Market>;
  readonly #books = new VenueBooks();
  readonly #orders: Resting[] = [];
  readonly #account: VenueLedger;
  readonly #wire = new Wire();
  #connection = 0;
  #isFeedUp = false;
  #feedAt = 0;
  #orderCount = 0;
  script: Script = {};
  /** Delays of an answer and of a feed message. Microseconds. */
  answerDelay = 1000;
  feedDelay = 600;
  pageSize = 100;
  now: Micros;

  constructor(markets: readonly Market[], cash: Money, now: Micros) {
    this.#markets = new Map(markets.map((market) => [market.index, market]));
    for (const { index } of markets) this.#books.openBook(index);
    this.#account = new VenueLedger(cash);
    this.now = now;
  }

  // Events that happen at the venue by themselves

  feedUp(): void {
    this.#connection += 1;
    this.#isFeedUp = true;
    this.#emit({ kind: 'feed-up', connection: this.#connection });
    this.grantPrivate();
    if (this.#connection > 1) for (const market of this.#markets.keys()) this.emitSnapshot(market);
  }

  /** Grants the private channels, unless the script refuses them. */
  grantPrivate(): void {
    const isUp = this.script.grants?.() ?? true;
    const reason = isUp ? 'subscribed' : 'by script';
    for (const channel of PRIVATE) this.#emit({ kind: 'feed-channel', channel, isUp, reason });
  }

  feedDown(): void {
    if (!this.#isFeedUp) return;
    this.#wire.cutFeed();
    this.#emit({ kind: 'feed-down', reason: 'cut' });
    this.#isFeedUp = false;
  }

  get isFeedUp(): boolean {
    return this.#isFeedUp;
  }

  isSettled(market: MarketIndex): boolean {
    return this.#markets.get(market)?.status === 'finalized';
  }

  emitGap(markets: readonly MarketIndex[]): void {
    this.#emit({ kind: 'feed-gap', markets, reason: 'sequence' });
  }

  emitSnapshot(market: MarketIndex): void {
    this.#emit({ kind: 'book-snapshot', exchangeAt: this.now, market, ...this.#books.levels(market) });
  }

  /** Changes a level, and reports it on the feed. */
  changeLevel(market: MarketIndex, side: BookSide, at: { readonly price: Price; readonly change: number }): void {
    this.changeLevelSilently(market, side, at);
    const { price, change } = at;
    this.#emit({ kind: 'book-delta', exchangeAt: this.now, market, side, price, change: qty(change) });
  }

  /** Changes a level without a message on the feed, as a bug of the venue would. */
  changeLevelSilently(
    market: MarketIndex,
    side: BookSide,
    at: { readonly price: Price; readonly change: number },
  ): void {
    this.#books.changeLevel(market, side, at);
  }

  /** Sends any event on the feed, a wrong one for instance. */
  emitEvent(event: UntimedEvent): void {
    this.#emit(event);
  }

  /** Trades a quantity of one of the resting orders. */
  tradeOrder(order: Resting, amount: number): void {
    const size = Math.min(amount, order.leaves);
    if (size <= 0) return;
    this.#recordTrade(order, size);
    this.#emitOrder(order);
  }

  #recordTrade(order: Resting, size: number): void {
    order.leaves -= size;
    order.filled += size;
    const fill = this.#account.recordTrade(order.report, size, this.now);
    if (this.script.reportsFill?.(fill) !== false) this.#emit({ kind: 'fill', fill });
  }

  /** Lists a new market, and announces it. */
  listMarket(market: Market): void {
    this.#markets.set(market.index, market);
    this.#books.openBook(market.index);
    const { eventTicker } = market;
    this.#emit({ kind: 'markets-appeared', ticker: null, eventTicker, seriesTicker: SERIES });
  }

  /** Removes a market that was paid out, and its orders: its index may be reused. */
  delistMarket(market: MarketIndex): void {
    this.#markets.delete(market);
    this.#books.closeBook(market);
    this.#account.forgetMarket(market);
    for (const order of this.#orders.filter(({ report }) => report.market === market)) this.loseOrder(order);
  }

  /** Pays a market out. */
  settleMarket(market: MarketIndex, settlementValue: Price): void {
    for (const order of this.resting(market)) this.endOrder(order, 'MarketClosed');
    const known = this.#markets.get(market)!;
    this.#markets.set(market, { ...known, status: 'finalized', result: 'scalar', settlementValue });
    this.#account.settleMarket(market, settlementValue, this.now);
    const change = { status: 'finalized', result: 'scalar', settlementValue } as const;
    this.#emit({ kind: 'market-changed', exchangeAt: this.now, market, ...change });
  }

  /** Rests an order that no session of ours has placed. */
  foreignOrder(market: MarketIndex, side: Side, price: Price): Resting {
    const order = this.#rest({ market, side, price, qty: qty(500), clientOrderId: null });
    this.#emitOrder(order);
    return order;
  }

  /** Loses an order without any message. */
  loseOrder(order: Resting): void {
    this.#orders.splice(this.#orders.indexOf(order), 1);
  }

  /** Rests an order of ours that was given up as never arrived. */
  restOrder(command: PlaceCommand): void {
    this.#emitOrder(this.#rest(command));
  }

  resting(market?: MarketIndex): Resting[] {
    return this.#orders.filter(
      ({ leaves, report }) => leaves > 0 && (market === undefined || report.market === market),
    );
  }

  position(market: MarketIndex): Position {
    return this.#account.position(market);
  }

  /** Number of orders ever accepted under a client order id: more than one is a duplicate. */
  countOf(clientOrderId: string): number {
    return this.#orders.filter(({ report }) => report.clientOrderId === clientOrderId).length;
  }

  get cash(): Money {
    return this.#account.cash;
  }

  set cash(cash: Money) {
    this.#account.cash = cash;
  }

  get available(): Money {
    let reserved = 0;
    for (const market of this.#markets.keys()) {
      const orders = this.resting(market).map(({ report, leaves }) => ({ ...report, leavesQty: qty(leaves) }));
      reserved += collateral(this.position(market).qty, orders);
    }
    return money(this.cash - reserved);
  }

  // Requests

  acceptCommand(command: Command): void {
    switch (command.type) {
      case 'subscribe':
      case 'resync':
      case 'renew':
        if (this.script.snapshots?.(command.type) === false) return;
        for (const market of this.#markets.values())
          if (command.tickers.includes(market.ticker)) this.emitSnapshot(market.index);
        return;
      case 'unsubscribe':
        return;
      case 'renew-private':
        return this.grantPrivate();
      case 'reconnect':
        this.feedDown();
        return this.feedUp();
      case 'place':
        return this.#place(command);
      case 'cancel':
        return this.#cancel(command);
      case 'decrease':
      case 'amend':
        return this.#change(command);
      case 'read':
        return this.#read(command);
    }
  }

  #place(command: PlaceCommand): void {
    const { clientOrderId } = command;
    const outcome = this.isSettled(command.market) ? 'reject' : (this.script.place?.(command) ?? 'accept');
    const refusal = { clientOrderId, code: 'refused', message: 'by script', reason: 'by script' };
    if (outcome === 'limit') return this.#limit(command);
    if (outcome === 'reject') return this.#answer(command, false, { kind: 'order-rejected', ...refusal });
    if (outcome === 'not-sent') return this.#answer(command, false, { kind: 'order-not-sent', ...refusal });
    if (outcome === 'vanish') return this.#answer(command, false, { kind: 'order-unknown', ...refusal });
    const isTaken = this.countOf(clientOrderId) > 0;
    if (isTaken) return this.#answer(command, false, { kind: 'order-unknown', ...refusal, isTaken });
    const order = this.#rest(command);
    this.#emitOrder(order);
    if (outcome === 'lose') return this.#answer(command, false, { kind: 'order-unknown', ...refusal });
    if (outcome === 'take') this.tradeOrder(order, order.total);
    if (outcome === 'take-half') {
      this.#recordTrade(order, Math.floor(order.total / 2));
      this.endOrder(order, null);
    }
    this.#answer(command, true, {
      kind: 'order-accepted',
      exchangeAt: this.now,
      clientOrderId,
      venueOrderId: order.report.venueOrderId,
      filledQty: qty(order.filled),
      leavesQty: qty(order.leaves),
      isFinished: order.leaves === 0,
    });
  }

  #rest(terms: Pick<OrderReport, 'market' | 'side' | 'price' | 'clientOrderId'> & { readonly qty: Qty }): Resting {
    const { market, side, price, clientOrderId } = terms;
    const report: OrderReport = {
      venueOrderId: venueOrderId(`v-${(this.#orderCount += 1)}`),
      clientOrderId,
      market,
      side,
      price,
      status: 'working',
      filledQty: qty(0),
      leavesQty: terms.qty,
      createdAt: this.now,
      updatedAt: this.now,
      reason: null,
    };
    const order = { report, leaves: terms.qty, filled: 0, total: terms.qty };
    this.#orders.push(order);
    return order;
  }

  /** Ends an order without our request: for a reason of the venue's own, or by another party with a key. */
  endOrder(order: Resting, reason: string | null): void {
    order.leaves = 0;
    order.report = { ...order.report, reason };
    this.#emitOrder(order);
  }

  #reportOf({ report, leaves, filled, total }: Resting): OrderReport {
    const status = leaves > 0 ? 'working' : filled === total ? 'filled' : 'canceled';
    return { ...report, status, filledQty: qty(filled), leavesQty: qty(leaves) };
  }

  #emitOrder(order: Resting): void {
    const report = this.#reportOf(order);
    if (this.script.reportsOrder?.(report) !== false) this.#emit({ kind: 'order-updated', order: report });
  }

  #cancel(command: CancelCommand): void {
    const { clientOrderId } = command;
    const outcome = this.script.cancel?.(command) ?? 'do';
    if (outcome === 'limit') return this.#limit(command);
    const order = this.resting().find(({ report }) => report.venueOrderId === command.venueOrderId);
    const reducedBy = qty(order?.leaves ?? 0);
    if (order && outcome !== 'vanish' && outcome !== 'refuse') this.endOrder(order, null);
    if (outcome === 'lose' || outcome === 'vanish')
      return this.#answer(command, false, { kind: 'cancel-lost', clientOrderId, reason: 'by script' });
    if (order && outcome === 'do') this.#answer(command, true, { kind: 'cancel-accepted', clientOrderId, reducedBy });
    else this.#answer(command, false, { kind: 'cancel-refused', clientOrderId, code: 'not_found' });
  }

  #change(command: DecreaseCommand | AmendCommand): void {
    const { clientOrderId } = command;
    const outcome = (command.type === 'amend' ? this.script.amend?.(command) : this.script.decrease?.(command)) ?? 'do';
    if (outcome === 'limit') return this.#limit(command);
    const order = this.resting().find(({ report }) => report.venueOrderId === command.venueOrderId);
    const isPossible = order !== undefined && (command.type === 'amend' || command.leavesQty <= order.leaves);
    const isDone = isPossible && outcome !== 'vanish' && outcome !== 'refuse';
    if (isDone) this.giveTerms(order, command);
    if (outcome === 'lose' || outcome === 'vanish')
      return this.#answer(command, false, { kind: 'amend-lost', clientOrderId, reason: 'by script' });
    if (!isDone) return this.#answer(command, false, { kind: 'amend-refused', clientOrderId, code: 'refused' });
    const traded = (this.script.reportsTraded?.() ?? true) ? { filledQty: qty(order.filled) } : {};
    const leavesQty = qty(order.leaves);
    const price = command.type === 'amend' ? command.price : null;
    this.#answer(command, true, { kind: 'amend-accepted', clientOrderId, price, leavesQty, ...traded });
  }

  /** Carries out a decrease or an amend. An amend to less than has traded ends the order. */
  giveTerms(order: Resting, command: DecreaseCommand | AmendCommand): void {
    if (command.type === 'amend') order.report = { ...order.report, price: command.price };
    order.leaves = command.type === 'amend' ? Math.max(0, command.qty - order.filled) : command.leavesQty;
    if (order.leaves > 0) order.total = order.filled + order.leaves;
    this.#emitOrder(order);
  }

  #read(command: ReadCommand): void {
    const outcome = this.script.read?.(command) ?? 'do';
    if (outcome === 'limit') return this.#limit(command);
    const commandId = command.id;
    const isRefused = outcome === 'refuse';
    if (outcome === 'fail' || isRefused)
      return this.#answer(command, false, { kind: 'read-failed', commandId, reason: 'by script', isRefused });
    this.#answer(command, true, ...this.#readAnswer(command));
  }

  #readAnswer(command: ReadCommand): UntimedEvent[] {
    const { target, id: commandId } = command;
    const listing = listingAnswer(target, commandId, [...this.#markets.values()]);
    if (listing !== null) return listing;
    const account = accountAnswer(command, this.#ledger());
    if (account !== null) return [this.script.answers?.(command, account) ?? account];
    if (target.what === 'status') return [{ kind: 'exchange-status', isActive: true, isTrading: true }];
    if (target.what !== 'book') throw new Error(`not scripted: ${target.what}`);
    return [{ kind: 'book-poll', askedAt: this.now, market: target.market, ...this.#books.levels(target.market) }];
  }

  #ledger(): AccountLedger {
    const { available, now, pageSize } = this;
    const orders = this.#orders.map((order) => this.#reportOf(order));
    const { fills, settlements, positions } = this.#account;
    return { orders, fills, settlements, positions, available, now, pageSize };
  }

  #limit(command: RequestCommand): void {
    const budget = command.type === 'read' ? 'read' : 'trade';
    this.#answer(command, false, { kind: 'rate-limited', commandId: command.id, budget, retryAfter: null });
  }

  #answer(command: RequestCommand, ok: boolean, ...events: readonly UntimedEvent[]): void {
    const at = micros(this.now + this.answerDelay);
    this.#push({ kind: 'answered', commandId: command.id, ok, clockOffset: null }, at, false);
    for (const event of events) this.#push(event, at, false);
  }

  #emit(event: UntimedEvent): void {
    if (!this.#isFeedUp && event.kind !== 'feed-up') return;
    this.#feedAt = Math.max(this.#feedAt, this.now + this.feedDelay);
    this.#push(event, micros(this.#feedAt), event.kind !== 'feed-down');
  }

  #push(event: UntimedEvent, at: Micros, isFeed: boolean): void {
    this.#wire.push({ ...event, at }, isFeed);
  }

  /** The time of the next event; `null` when none is in flight. */
  nextAt(): Micros | null {
    return this.#wire.nextAt();
  }

  /** Removes and returns the next event. */
  takeNext(): EngineEvent | undefined {
    return this.#wire.takeNext();
  }
}
