// Cash reserved for resting orders: the worst cost of their fills, with fees and rounding, less what the position
// covers. The domain's collateral, plus fees over all resting orders. Must never let more be reserved than there is.
import type { FeeSchedule } from '../../domain/fees.ts';
import type { Liquidity } from '../../domain/order.ts';
import { type Pledge, collateral } from '../../domain/position.ts';
import { type Money, money } from '../../domain/units.ts';
import { type Fees, mostCharged } from './fees.ts';
import type { MarketRecord, OrderRecord } from './records.ts';

/** An order that would come to rest or trade; `without` is the order that it replaces when these are its new terms. */
export interface Hypothesis {
  readonly market: MarketRecord;
  readonly candidate: Pledge;
  readonly without: OrderRecord | null;
}

export class Pledges {
  readonly #fees: Fees;
  readonly #qtyStep: number;

  constructor(fees: Fees, qtyStep: number) {
    this.#fees = fees;
    this.#qtyStep = qtyStep;
  }

  /** Cash that a market's resting orders require. */
  needOf(market: MarketRecord): Money {
    return this.#requiredWith(market, null, null);
  }

  /** Cash that they would require with the hypothetical order. It may cross, so it is charged a taker's fee. */
  needUnder({ market, candidate, without }: Hypothesis): Money {
    return this.#requiredWith(market, candidate, without);
  }

  #requiredWith(market: MarketRecord, candidate: Pledge | null, without: OrderRecord | null): Money {
    const schedule = this.#fees.scheduleOf(market);
    const orders: Pledge[] = [];
    let fees = 0;
    for (const order of market.resting.values()) {
      if (order === without) continue;
      orders.push(order);
      fees += this.#feeMax(schedule, order, 'maker');
    }
    if (candidate !== null) {
      orders.push(candidate);
      fees += this.#feeMax(schedule, candidate, 'taker');
    }
    return money(collateral(market.position.qty, orders) + fees);
  }

  #feeMax(schedule: FeeSchedule, { price, leavesQty: qty }: Pledge, liquidity: Liquidity): number {
    return mostCharged(schedule, { price, qty, liquidity }, this.#qtyStep);
  }
}
