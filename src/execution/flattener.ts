// Closes every position at what the live book pays: reduce-only orders that rest nowhere, again and again until nothing
// is held that can be sold. Every rule of risk but the halts holds for them. Must never open a position.
import { type Denial, describeDenial } from '../domain/denial.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { PlaceIntent } from '../domain/intent.ts';
import { isOpen } from '../domain/market.ts';
import type { Unclosed } from '../domain/operator.ts';
import type { Side } from '../domain/order.ts';
import { type Micros, NO_QTY, type Price, type Qty, fromMillis, qty } from '../domain/units.ts';
import type { Readiness } from '../risk/proposal.ts';
import type { State } from '../state/state.ts';
import type { Observer } from './notice.ts';

export interface FlattenerOptions {
  readonly state: State;
  readonly qtyStep: Qty;
  readonly observe: Observer;
  readonly readiness: () => Readiness;
  /** Lets an order out; the objection when a rule has one. */
  readonly place: (intent: PlaceIntent) => Denial | null;
}

/** How often what is left is looked at. */
const LOOK_EVERY: Micros = fromMillis(100);
/** After so many orders in a row that closed nothing the next one waits, longer each time, but no longer than this. */
const PATIENCE = 3;
const VAIN_MS_MAX = 2000;
/** Refusals that a smaller order may not meet. */
const TOO_MUCH: ReadonlySet<Denial['code']> = new Set(['order-qty-above-limit', 'order-cost-above-limit']);
/** Nothing trades there any more: what is held is paid out at settlement. */
const CANNOT_TRADE: ReadonlySet<string> = new Set(['closed', 'determined', 'disputed', 'amended', 'finalized']);

/** Orders that were sent for one market and closed nothing. */
interface Vain {
  readonly held: Qty;
  readonly tries: number;
  readonly nextAt: number;
}

/** One flattening of the account, while it lasts. */
export class Flattener {
  readonly #options: FlattenerOptions;
  #dueAt: Micros | null = null;
  #unclosed: readonly Unclosed[] = [];
  readonly #vain = new Map<MarketIndex, Vain>();

  constructor(options: FlattenerOptions) {
    this.#options = options;
  }

  /** When it wants to look next; `null` when nothing is being flattened. */
  get dueAt(): Micros | null {
    return this.#dueAt;
  }

  /** What is not closed yet, and why; what the last flattening could not close when none is under way. */
  get unclosed(): readonly Unclosed[] {
    return this.#unclosed;
  }

  /** Begins. What rests is being withdrawn by the caller. */
  begin(now: Micros, reason: string): void {
    this.#options.observe({ type: 'flattening', reason, positions: this.#held().length });
    this.#dueAt = now;
    this.#vain.clear();
  }

  /** Ends it, wherever it is: what is held stays held. */
  stop(why: string): void {
    if (this.#dueAt === null) return;
    this.#dueAt = null;
    this.#options.observe({ type: 'flattened', why, unclosed: this.#unclosed });
  }

  /** Sends what can be sent now. */
  look(now: Micros): void {
    if (this.#dueAt === null || now < this.#dueAt) return;
    this.#dueAt = (now + LOOK_EVERY) as Micros;
    const held = this.#held();
    this.#unclosed = held.map(([market, amount]) => ({ market, qty: amount, why: this.#close(market, amount) }));
    if (held.length === 0) return this.stop('flat');
    if (held.every(([market]) => this.#isBeyondTrading(market))) this.stop('what is left cannot be traded any more');
  }

  /** Quantities held, by market. */
  #held(): (readonly [MarketIndex, Qty])[] {
    const positions = [...this.#options.state.portfolio.positions()];
    return positions.flatMap(([market, { qty: amount }]) => (amount === NO_QTY ? [] : [[market, amount] as const]));
  }

  #isBeyondTrading(market: MarketIndex): boolean {
    return CANNOT_TRADE.has(this.#options.state.markets.get(market)?.status ?? 'finalized');
  }

  /** Sends an order that closes as much as the rules let it; says what it waits for. */
  #close(market: MarketIndex, held: Qty): string {
    const { state, readiness } = this.#options;
    const ready = readiness();
    if (ready.type !== 'ready') return ready.type === 'stopping' ? 'the session is stopping' : ready.reason;
    const known = state.markets.get(market);
    if (!known || !isOpen(known.status)) return `the market is ${known?.status ?? 'unknown'}`;
    // An order that is out may close it, or close it twice.
    if (state.orders.openIn(market).length > 0) return 'orders of ours are still out';
    if (!state.books.isLive(market)) return `the book is ${state.books.trust(market)}`;
    const vain = this.#vain.get(market);
    if (vain?.held === held && state.now < vain.nextAt)
      return `${vain.tries} orders closed nothing: the next one waits`;
    const side: Side = held > 0 ? 'sell' : 'buy';
    const price = side === 'sell' ? state.books.bestBid(market) : state.books.bestAsk(market);
    if (price === null) return 'nobody is on the other side';
    const objection = this.#send({ market, side, price, held: qty(Math.abs(held)) });
    if (objection === null) this.#noteTry(market, held);
    return objection ?? 'an order is out';
  }

  /** Should nothing be closed by it, the next one goes later: a venue that refuses must not be asked at full speed. */
  #noteTry(market: MarketIndex, held: Qty): void {
    const before = this.#vain.get(market);
    const tries = before?.held === held ? before.tries + 1 : 1;
    const waitMs = tries < PATIENCE ? 0 : Math.min(VAIN_MS_MAX, 100 * 2 ** (tries - PATIENCE));
    this.#vain.set(market, { held, tries, nextAt: this.#options.state.now + waitMs * 1000 });
  }

  /** Tries the whole of it, then half, and half again, while a limit on one order is all that objects. The objection. */
  #send(terms: { market: MarketIndex; side: Side; price: Price; held: Qty }): string | null {
    const { place, qtyStep } = this.#options;
    const { market, side, price, held } = terms;
    const most = Math.floor(held / qtyStep) * qtyStep;
    for (let amount = most; amount >= qtyStep; amount = Math.floor(amount / 2 / qtyStep) * qtyStep) {
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
      if (!TOO_MUCH.has(denial.code)) return describeDenial(denial);
    }
    return 'no order is small enough for the limits';
  }
}
