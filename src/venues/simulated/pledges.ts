// Cash behind resting orders: what their fills could cost at worst, with fees and rounding, less what is covered by what
// is held. The domain's collateral, and fees over all that rests. Must never let more be promised than there is.
import type { Liquidity } from '../../domain/order.ts';
import { type Pledge, collateral, openingPrice } from '../../domain/position.ts';
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
    return this.#sum(market, [...market.resting.values()]);
  }

  /** What they would need under a hypothesis. It may cross: a taker's fee. */
  needUnder({ market, candidate, without }: Hypothesis): Money {
    const others = [...market.resting.values()].filter((order) => order !== without);
    return this.#sum(market, others, candidate);
  }

  #sum(market: MarketRecord, resting: readonly Pledge[], arriving?: Pledge): Money {
    const schedule = this.#fees.scheduleOf(market);
    const most = ({ price, leavesQty }: Pledge, liquidity: Liquidity): number =>
      mostCharged(schedule, { price, qty: leavesQty, liquidity }, this.#qtyStep);
    const all = arriving === undefined ? resting : [...resting, arriving];
    let sum = market.position.qty === 0 ? uncovered(all) : collateral(market.position.qty, all);
    for (const pledge of resting) sum += most(pledge, 'maker');
    return money(arriving === undefined ? sum : sum + most(arriving, 'taker'));
  }
}

/** The collateral where nothing is held: each order for itself, in no order. */
function uncovered(pledges: readonly Pledge[]): number {
  let sum = 0;
  for (const { side, price, leavesQty } of pledges) sum += openingPrice(side, price) * leavesQty;
  return sum;
}
