// Cash behind resting orders: what their fills could cost at worst, with fees and rounding, less what is covered by what
// is held. The domain's collateral, and fees over all that rests. Must never let more be promised than there is.
import type { FeeSchedule } from '../../domain/fees.ts';
import type { Liquidity } from '../../domain/order.ts';
import { type Pledge, collateral } from '../../domain/position.ts';
import { type Money, money } from '../../domain/units.ts';
import { type Fees, mostCharged } from './fees.ts';
import type { MarketRecord, OrderRecord } from './records.ts';

/** An order that would come to rest or trade, in place of another one where it is that one's new terms. */
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

  /** What a market's resting orders need. */
  needOf(market: MarketRecord): Money {
    return this.#sum(market, null, null);
  }

  /** What they would need under a hypothesis. It may cross: a taker's fee. */
  needUnder({ market, candidate, without }: Hypothesis): Money {
    return this.#sum(market, candidate, without);
  }

  #sum(market: MarketRecord, arriving: Pledge | null, without: OrderRecord | null): Money {
    const schedule = this.#fees.scheduleOf(market);
    const all: Pledge[] = [];
    let fees = 0;
    for (const order of market.resting.values()) {
      if (order === without) continue;
      all.push(order);
      fees += this.#most(schedule, order, 'maker');
    }
    if (arriving !== null) {
      all.push(arriving);
      fees += this.#most(schedule, arriving, 'taker');
    }
    return money(collateral(market.position.qty, all) + fees);
  }

  #most(schedule: FeeSchedule, { price, leavesQty: qty }: Pledge, liquidity: Liquidity): number {
    return mostCharged(schedule, { price, qty, liquidity }, this.#qtyStep);
  }
}
