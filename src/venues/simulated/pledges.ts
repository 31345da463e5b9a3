// Cash behind resting orders: what their fills could cost at worst, with fees and rounding, less what is covered by what
// is held. The domain's collateral, and fees over all that rests. Must never let more be promised than there is.
import type { Liquidity } from '../../domain/order.ts';
import { type Pledge, collateral } from '../../domain/position.ts';
import { type Money, money } from '../../domain/units.ts';
import type { Account } from './account.ts';
import { type Fees, mostCharged } from './fees.ts';
import type { MarketRecord, OrderRecord } from './records.ts';

/** An order that would come to rest or trade, in place of another one where it is that one's new terms. */
export interface Hypothesis {
  readonly market: MarketRecord;
  readonly candidate: Pledge;
  readonly without: OrderRecord | null;
}

export class Pledges {
  readonly #account: Account;
  readonly #fees: Fees;
  readonly #qtyStep: number;

  constructor(account: Account, fees: Fees, qtyStep: number) {
    this.#account = account;
    this.#fees = fees;
    this.#qtyStep = qtyStep;
  }

  /** Reckons anew what a market's orders need: after any change of them, of the position, or of the fees. */
  reckon(market: MarketRecord): void {
    this.#account.reserve(market, this.#needOf(market, [...market.resting.values()]));
  }

  /** How much cash is missing for a hypothesis to hold; not positive when there is enough. It may cross: a taker's fee. */
  shortage({ market, candidate, without }: Hypothesis): Money {
    const others = [...market.resting.values()].filter((order) => order !== without);
    const needed = this.#needOf(market, others, candidate);
    return money(needed - market.reserved - this.#account.available);
  }

  #needOf(market: MarketRecord, resting: readonly Pledge[], arriving?: Pledge): Money {
    const schedule = this.#fees.scheduleOf(market);
    const most = ({ price, leavesQty }: Pledge, liquidity: Liquidity): number =>
      mostCharged(schedule, { price, qty: leavesQty, liquidity }, this.#qtyStep);
    const all = arriving === undefined ? resting : [...resting, arriving];
    let sum: number = collateral(market.position.qty, all);
    for (const pledge of resting) sum += most(pledge, 'maker');
    return money(arriving === undefined ? sum : sum + most(arriving, 'taker'));
  }
}
