// What our unfinished orders pledge: reckoned once for as long as the orders of a market stay as they are, and summed as
// they change. Must never be asked of orders that changed without its being told.
import type { MarketIndex } from '../domain/ids.ts';
import { type Order, leavesQty } from '../domain/order.ts';
import { type Pledge, collateral } from '../domain/position.ts';
import { type Money, NO_MONEY, NO_QTY, type Qty, addMoney, subtractMoney } from '../domain/units.ts';

/** An order's terms as collateral sees them. */
export const pledgeOf = (order: Order): Pledge => ({
  side: order.side,
  price: order.price,
  leavesQty: leavesQty(order),
});

/** What the orders of a market pledge while so much is held there: something. */
interface Covered {
  readonly held: Qty;
  readonly amount: Money;
}

/** The pledges of all unfinished orders. */
export class OrderPledges {
  readonly #openIn: (market: MarketIndex) => readonly Order[];
  /** What the orders of each market pledge where nothing is held, and those of all. */
  readonly #flatByMarket: Money[] = [];
  #flat: Money = NO_MONEY;
  /** Markets whose orders have changed since that was reckoned. */
  readonly #stale = new Set<MarketIndex>();
  readonly #covered: (Covered | undefined)[] = [];

  /** @param openIn the unfinished orders of a market. */
  constructor(openIn: (market: MarketIndex) => readonly Order[]) {
    this.#openIn = openIn;
  }

  /** An unfinished order of a market became one, is none any more, or has other terms or fills. */
  changed(market: MarketIndex): void {
    this.#stale.add(market);
    this.#covered[market] = undefined;
  }

  /** Cash that the unfinished orders of a market pledge while so much is held there. */
  in(market: MarketIndex, held: Qty): Money {
    if (held === 0) {
      if (this.#stale.has(market)) this.#reckon(market);
      return this.#flatByMarket[market] ?? NO_MONEY;
    }
    const known = this.#covered[market];
    if (known?.held === held) return known.amount;
    const amount = this.#sum(market, held);
    this.#covered[market] = { held, amount };
    return amount;
  }

  /** Cash that all unfinished orders would pledge if nothing were held anywhere. */
  get flat(): Money {
    for (const market of this.#stale) this.#reckon(market);
    return this.#flat;
  }

  #reckon(market: MarketIndex): void {
    const amount = this.#sum(market, NO_QTY);
    this.#flat = addMoney(this.#flat, subtractMoney(amount, this.#flatByMarket[market] ?? NO_MONEY));
    this.#flatByMarket[market] = amount;
    this.#stale.delete(market);
  }

  #sum(market: MarketIndex, held: Qty): Money {
    return collateral(held, this.#openIn(market).map(pledgeOf));
  }
}
