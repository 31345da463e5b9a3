// Collateral reserved for our unfinished orders, cached until a market's orders change. Must never be read after a
// change that `markChanged` did not report.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Order, countedLeaves, countedPrice } from '../../domain/orders/order.ts';
import { type CollateralTerms, collateral } from '../../domain/position.ts';
import { type Money, NO_MONEY, NO_QTY, type Qty, addMoney, subtractMoney } from '../../domain/units.ts';

/** The terms of an order that determine its collateral: the worse of old and new, while an amend is unanswered. */
export const collateralTermsOf = (order: Order): CollateralTerms => ({
  side: order.side,
  price: countedPrice(order),
  leavesQty: countedLeaves(order),
});

interface CachedAmount {
  readonly held: Qty;
  readonly amount: Money;
}

/** The collateral of all unfinished orders. */
export class ReservedCollateral {
  readonly #openIn: (market: MarketIndex) => readonly Order[];
  /** Collateral of each market's orders if nothing is held there, and the sum of all markets. */
  readonly #amountWhenFlat: Money[] = [];
  #totalWhenFlat: Money = NO_MONEY;
  /** Markets whose amount is out of date. Added when their orders change; removed when the amount is recalculated. */
  readonly #stale = new Set<MarketIndex>();
  readonly #cached: (CachedAmount | undefined)[] = [];

  constructor(openIn: (market: MarketIndex) => readonly Order[]) {
    this.#openIn = openIn;
  }

  /** Reports that a market's unfinished orders changed, or their terms or fills. */
  markChanged(market: MarketIndex): void {
    this.#stale.add(market);
    this.#cached[market] = undefined;
  }

  reservedIn(market: MarketIndex, held: Qty): Money {
    if (held === 0) {
      if (this.#stale.has(market)) this.#recalculate(market);
      return this.#amountWhenFlat[market] ?? NO_MONEY;
    }
    const known = this.#cached[market];
    if (known?.held === held) return known.amount;
    const amount = this.#sum(market, held);
    this.#cached[market] = { held, amount };
    return amount;
  }

  /** Collateral of all unfinished orders if nothing were held anywhere. */
  get totalWhenFlat(): Money {
    for (const market of this.#stale) this.#recalculate(market);
    assert(this.#totalWhenFlat >= 0, 'the collateral of all markets must not be negative');
    return this.#totalWhenFlat;
  }

  #recalculate(market: MarketIndex): void {
    const amount = this.#sum(market, NO_QTY);
    assert(amount >= 0, 'the collateral of a market must not be negative');
    this.#totalWhenFlat = addMoney(
      this.#totalWhenFlat,
      subtractMoney(amount, this.#amountWhenFlat[market] ?? NO_MONEY),
    );
    this.#amountWhenFlat[market] = amount;
    this.#stale.delete(market);
  }

  #sum(market: MarketIndex, held: Qty): Money {
    return collateral(held, this.#openIn(market).map(collateralTermsOf));
  }
}
