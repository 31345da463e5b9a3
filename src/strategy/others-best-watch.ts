// Finds the book changes after which a quote may have to move: the best price of others differs from the last one, or the
// account's own orders there have changed. Must never miss a change: a strategy that waits for it would quote a wrong price.
import { PresizedColumns, grownCopy } from '../base/typed-columns.ts';
import type { BookSide } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { PAYOUT, type Price } from '../domain/units.ts';
import { othersBest } from '../state/books/others-best.ts';
import type { State } from '../state/state.ts';

const NO_BID = 0;
const NO_ASK: number = PAYOUT;
/** Not the revision of any market's orders. */
const DUE = -1;

/** The changed level of a book. */
export interface ChangedLevel {
  readonly market: MarketIndex;
  readonly side: BookSide;
  readonly price: Price;
}

/** The best prices of others in each market, as of the last call of its strategies. */
export class OthersBestWatch extends PresizedColumns {
  readonly #state: State;
  #bids = new Int16Array(this.capacity);
  #asks = new Int16Array(this.capacity);
  /** Revision of the market's orders; `DUE` has the next change reported as moved, whatever it is. */
  #revisions = new Int32Array(this.capacity).fill(DUE);

  /** @param room expected number of markets. */
  constructor(state: State, room: number) {
    super(room);
    this.#state = state;
  }

  /** Has the next change of a market's book reported as moved, whatever it is. */
  markDue(market: MarketIndex): void {
    if (market >= this.#revisions.length) this.#grow(market + 1);
    this.#revisions[market] = DUE;
  }

  /** Does the same for every market. */
  markAllDue(): void {
    this.#revisions.fill(DUE);
  }

  /** True when strategies must be called for the change of a level. The market must have been marked as due once. */
  hasMoved({ market, side, price }: ChangedLevel): boolean {
    const revision = this.#state.orders.revisionOf(market);
    if (revision !== this.#revisions[market]) {
      this.#revisions[market] = revision;
      this.#bids[market] = this.#bestBid(market);
      this.#asks[market] = this.#bestAsk(market);
      return true;
    }
    return side === 'bid' ? this.#hasBidMoved(market, price) : this.#hasAskMoved(market, price);
  }

  #hasBidMoved(market: MarketIndex, price: Price): boolean {
    const before = this.#bids[market] ?? NO_BID;
    if (price < before) return false;
    const best = this.#bestBid(market);
    this.#bids[market] = best;
    return best !== before;
  }

  #hasAskMoved(market: MarketIndex, price: Price): boolean {
    const before = this.#asks[market] ?? NO_ASK;
    if (price > before) return false;
    const best = this.#bestAsk(market);
    this.#asks[market] = best;
    return best !== before;
  }

  #bestBid(market: MarketIndex): number {
    return othersBest(this.#state, market, 'bid') ?? NO_BID;
  }

  #bestAsk(market: MarketIndex): number {
    return othersBest(this.#state, market, 'ask') ?? NO_ASK;
  }

  #grow(needed: number): void {
    const { length: before } = this.#revisions;
    const length = Math.max(needed, before * 2, 16);
    this.#bids = grownCopy(this.#bids, new Int16Array(length));
    this.#asks = grownCopy(this.#asks, new Int16Array(length));
    this.#revisions = grownCopy(this.#revisions, new Int32Array(length).fill(DUE, before));
  }
}
