// Computes the cash reserved for a market's resting orders: their collateral, plus the maximum fees and rounding of
// each order. Must never change anything.
import { type FeeSchedule, feeMax } from '../../../domain/fee-schedule.ts';
import type { Liquidity } from '../../../domain/orders/order.ts';
import { type CollateralTerms, collateral } from '../../../domain/position.ts';
import { type Money, money } from '../../../domain/units.ts';
import { type FillFees, assumedParts } from './fill-fees.ts';
import type { VenueMarket, VenueOrder } from './venue-records.ts';

/** An order that would rest or trade. `without` is the order that it replaces, if any. */
export interface HypotheticalOrder {
  readonly market: VenueMarket;
  readonly candidate: CollateralTerms;
  readonly without: VenueOrder | null;
}

export class RestingCollateral {
  readonly #fees: FillFees;
  readonly #qtyStep: number;

  constructor(fees: FillFees, qtyStep: number) {
    this.#fees = fees;
    this.#qtyStep = qtyStep;
  }

  requiredFor(market: VenueMarket): Money {
    return this.#requiredWith(market, null, null);
  }

  /** Cash required with the hypothetical order. The order may cross, so it is charged a taker's fee. */
  requiredUnder({ market, candidate, without }: HypotheticalOrder): Money {
    return this.#requiredWith(market, candidate, without);
  }

  #requiredWith(market: VenueMarket, candidate: CollateralTerms | null, without: VenueOrder | null): Money {
    const schedule = this.#fees.scheduleOf(market);
    const orders: CollateralTerms[] = [];
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

  #feeMax(schedule: FeeSchedule, { price, leavesQty: qty }: CollateralTerms, liquidity: Liquidity): number {
    return feeMax(schedule, { price, qty, liquidity }, assumedParts(schedule, this.#qtyStep));
  }
}
