// Rates of approved orders and of cancels, in total and by strategy. Cancels are counted but never denied.
import type { StrategyName } from '../domain/ids.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import { RollingSum } from './rolling-sum.ts';

class Rate {
  readonly orders = new RollingSum(fromSeconds(1));
  /** New orders and cancels. */
  readonly messages = new RollingSum(fromSeconds(60));
}

/** Rates of the account and of each strategy. */
export class MessageRates {
  readonly #account = new Rate();
  /** Added with a strategy's first order, cancel or check; never removed. */
  readonly #byStrategy = new Map<StrategyName, Rate>();

  countOrder(strategy: StrategyName, at: Micros): void {
    for (const rate of [this.#account, this.#rateOf(strategy)]) {
      rate.orders.addAmount(at);
      rate.messages.addAmount(at);
    }
  }

  countCancel(strategy: StrategyName, at: Micros): void {
    this.#account.messages.addAmount(at);
    this.#rateOf(strategy).messages.addAmount(at);
  }

  /** `strategy` is `null` for the account. */
  ordersPerSecond(strategy: StrategyName | null, now: Micros): number {
    return this.#rateOf(strategy).orders.totalAt(now);
  }

  /** Counts new orders and cancels. `strategy` is `null` for the account. */
  messagesPerMinute(strategy: StrategyName | null, now: Micros): number {
    return this.#rateOf(strategy).messages.totalAt(now);
  }

  #rateOf(strategy: StrategyName | null): Rate {
    if (strategy === null) return this.#account;
    const existing = this.#byStrategy.get(strategy);
    if (existing) return existing;
    const rate = new Rate();
    this.#byStrategy.set(strategy, rate);
    return rate;
  }
}
