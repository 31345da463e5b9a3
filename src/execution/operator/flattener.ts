// Closes every position at the best price of the live book with reduce-only IOC orders. Halts, rate limits and exposure
// limits do not apply to these orders. Must never open a position.
import { assert } from '../../base/assert.ts';
import { type Denial, describeDenial } from '../../domain/denial.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { PlaceIntent } from '../../domain/intent.ts';
import { isOpen, isPastClose } from '../../domain/market.ts';
import type { UnclosedPosition } from '../../domain/operator-order.ts';
import type { OrderTerms } from '../../domain/orders/order-terms.ts';
import type { Side } from '../../domain/orders/order.ts';
import { type Micros, type Money, NO_QTY, type Price, type Qty, fromMillis, money, qty } from '../../domain/units.ts';
import type { Readiness } from '../../risk/rules/proposal.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';

export interface FlattenerOptions {
  readonly state: State;
  readonly qtyStep: Qty;
  readonly observe: Observer;
  readonly readiness: () => Readiness;
  /** False while the account's positions are being read. Always true without a key: then nothing is held. */
  readonly arePositionsKnown: () => boolean;
  readonly place: (intent: PlaceIntent) => Denial | null;
  /** Highest fee that an order may be charged. */
  readonly highestFee: (market: MarketIndex, order: Pick<OrderTerms, 'side' | 'price' | 'postOnly'>, qty: Qty) => Money;
}

/** An order that a flatten would send now. */
export interface PlannedClose {
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** Highest fee plus the loss against the mid. */
  readonly cost: Money;
}

/** The plan of a flatten. */
export interface FlattenPreview {
  readonly orders: readonly PlannedClose[];
  readonly unclosed: readonly UnclosedPosition[];
}

/** Interval between two rounds. */
const ROUND_EVERY: Micros = fromMillis(100);
/** After this many orders without a fill, the next order waits. The wait grows up to `TRY_WAIT_MS_MAX` milliseconds. */
const TRIES_AT_ONCE = 3;
const TRY_WAIT_MS_MAX = 2000;
/** Denials that a smaller order may avoid. */
const SIZE_DENIALS: ReadonlySet<Denial['code']> = new Set(['order-qty-above-limit', 'order-cost-above-limit']);
interface ClosingTerms {
  readonly side: Side;
  readonly price: Price;
  readonly held: Qty;
}

/** Orders in a row without a fill in one market, and the position that they left. */
interface FailedTries {
  readonly held: Qty;
  readonly tries: number;
  readonly nextAt: number;
}

/**
 * Closes the account's positions round by round. Ends when no order is open and the account is flat or the remaining
 * positions cannot be traded any longer, or when the operator halts or resumes the account.
 */
export class Flattener {
  readonly #options: FlattenerOptions;
  #dueAt: Micros | null = null;
  #unclosed: readonly UnclosedPosition[] = [];
  /**
   * Orders sent in a row for the same position, by market. Added when an order is sent; all removed when the next
   * flattening starts.
   */
  readonly #failedTries = new Map<MarketIndex, FailedTries>();

  constructor(options: FlattenerOptions) {
    this.#options = options;
  }

  /** The time of the next round; `null` when no flattening is under way. */
  get dueAt(): Micros | null {
    return this.#dueAt;
  }

  /** Positions that the present or last flattening has not closed, each with the reason. */
  get unclosed(): readonly UnclosedPosition[] {
    return this.#unclosed;
  }

  /**
   * Returns the orders that a flattening would send now. Limits may split an order, and the books may move before it is
   * sent.
   */
  preview(): FlattenPreview {
    const orders: PlannedClose[] = [];
    const unclosed: UnclosedPosition[] = [];
    for (const [market, held] of this.#positions()) {
      const terms = this.#closingTerms(market, held);
      if (typeof terms === 'string') unclosed.push({ market, qty: held, why: terms });
      else orders.push({ ...terms, qty: terms.held, market, cost: this.#costOf(market, terms) });
    }
    return { orders, unclosed };
  }

  #costOf(market: MarketIndex, { side, price, held }: ClosingTerms): Money {
    const { state, highestFee } = this.#options;
    const other = side === 'sell' ? state.books.bestAsk(market) : state.books.bestBid(market);
    const spread = other === null ? 0 : Math.abs(other - price);
    const fee = highestFee(market, { side, price, postOnly: false }, held);
    return money(Math.ceil((spread * held) / 2) + fee);
  }

  /** Starts a flattening. The caller cancels the resting orders. */
  startFlatten(now: Micros, reason: string): void {
    this.#options.observe({ type: 'flattening', reason, positions: this.#positions().length });
    this.#dueAt = now;
    this.#failedTries.clear();
  }

  /** Ends the flattening. Remaining positions stay open. */
  stop(why: string): void {
    if (this.#dueAt === null) return;
    this.#dueAt = null;
    this.#options.observe({ type: 'flattened', why, unclosed: this.#unclosed });
  }

  runRound(now: Micros): void {
    if (this.#dueAt === null || now < this.#dueAt) return;
    this.#dueAt = (now + ROUND_EVERY) as Micros;
    const held = this.#positions();
    this.#unclosed = held.map(([market, amount]) => ({ market, qty: amount, why: this.#close(market, amount) }));
    // An order that is being canceled may still fill.
    if (this.#options.state.orders.openCount > 0 || !this.#options.arePositionsKnown()) return;
    if (held.length === 0) return this.stop('flat');
    if (held.every(([market]) => this.#isBeyondTrading(market)))
      this.stop('the remaining positions can no longer be traded');
  }

  #positions(): (readonly [MarketIndex, Qty])[] {
    const positions = [...this.#options.state.portfolio.positions()];
    return positions.flatMap(([market, { qty: amount }]) => (amount === NO_QTY ? [] : [[market, amount] as const]));
  }

  #isBeyondTrading(market: MarketIndex): boolean {
    return isPastClose(this.#options.state.markets.get(market)?.status ?? 'finalized');
  }

  /** Sends an order that closes as much as the rules allow. Returns the reason why the position is still open. */
  #close(market: MarketIndex, held: Qty): string {
    const { state, readiness } = this.#options;
    const ready = readiness();
    if (ready.type !== 'ready') return ready.type === 'stopping' ? 'the session is stopping' : ready.reason;
    // An open order may still close the position. A second order would close it twice.
    if (state.orders.openIn(market).length > 0) return 'orders of ours are still open';
    const terms = this.#closingTerms(market, held);
    if (typeof terms === 'string') return terms;
    const failed = this.#failedTries.get(market);
    if (failed?.held === held && state.now < failed.nextAt)
      return `${failed.tries} orders closed nothing: the next one waits`;
    const objection = this.#send({ market, ...terms });
    if (objection === null) this.#countTry(market, held);
    return objection ?? 'an order was sent';
  }

  #closingTerms(market: MarketIndex, held: Qty): ClosingTerms | string {
    const { state } = this.#options;
    const known = state.markets.get(market);
    if (!known || !isOpen(known.status)) return `the market is ${known?.status ?? 'unknown'}`;
    if (!state.books.isLive(market)) return `the book is ${state.books.trust(market)}`;
    const side: Side = held > 0 ? 'sell' : 'buy';
    const price = side === 'sell' ? state.books.bestBid(market) : state.books.bestAsk(market);
    return price === null ? 'the other side of the book is empty' : { side, price, held: qty(Math.abs(held)) };
  }

  /**
   * Counts an order that was sent. After several orders without a fill, the next order waits: the venue may be
   * rejecting them.
   */
  #countTry(market: MarketIndex, held: Qty): void {
    const before = this.#failedTries.get(market);
    const tries = before?.held === held ? before.tries + 1 : 1;
    const waitMs = tries < TRIES_AT_ONCE ? 0 : Math.min(TRY_WAIT_MS_MAX, 100 * 2 ** (tries - TRIES_AT_ONCE));
    assert(waitMs >= 0 && waitMs <= TRY_WAIT_MS_MAX, 'the wait for the next try must stay within its bound');
    this.#failedTries.set(market, { held, tries, nextAt: this.#options.state.now + waitMs * 1000 });
  }

  /**
   * Tries the whole quantity, then half of it, and so on, while a limit per order is the only objection. Returns the
   * reason why no order was sent, or `null`.
   */
  #send(terms: ClosingTerms & { readonly market: MarketIndex }): string | null {
    const { place, qtyStep } = this.#options;
    const { market, side, price, held } = terms;
    assert(held > 0, 'only a position can be closed');
    const whole = Math.floor(held / qtyStep) * qtyStep;
    assert(whole <= held, 'an order must not close more than is held');
    for (let amount = whole; amount >= qtyStep; amount = Math.floor(amount / 2 / qtyStep) * qtyStep) {
      const denial = place({
        type: 'place',
        market,
        side,
        price,
        qty: qty(amount),
        timeInForce: 'ioc',
        reduceOnly: true,
        reason: 'flatten',
      });
      if (denial === null) return null;
      if (!SIZE_DENIALS.has(denial.code)) return describeDenial(denial);
    }
    return 'no order is small enough for the limits';
  }
}
