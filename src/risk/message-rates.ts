// How often orders and cancels were let out, in all and by strategy. Cancels are counted, and never denied.
import type { StrategyName } from '../domain/ids.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import { RollingSum } from './rolling-sum.ts';

/** How often one strategy, or the account, did something. */
class Rate {
  /** New orders of a second. */
  readonly orders = new RollingSum(fromSeconds(1));
  /** New orders and cancels of a minute. */
  readonly messages = new RollingSum(fromSeconds(60));
}

/** Rates of the account and of each strategy. */
export class MessageRates {
  readonly #account = new Rate();
  readonly #byStrategy = new Map<StrategyName, Rate>();

  ordered(strategy: StrategyName, at: Micros): void {
    for (const rate of [this.#account, this.#of(strategy)]) {
      rate.orders.add(at);
      rate.messages.add(at);
    }
  }

  canceled(strategy: StrategyName, at: Micros): void {
    this.#account.messages.add(at);
    this.#of(strategy).messages.add(at);
  }

  /** New orders within the last second: a strategy's, or the account's. */
  ordersPerSecond(of: StrategyName | null, now: Micros): number {
    return this.#of(of).orders.total(now);
  }

  /** New orders and cancels within the last minute. */
  messagesPerMinute(of: StrategyName | null, now: Micros): number {
    return this.#of(of).messages.total(now);
  }

  #of(strategy: StrategyName | null): Rate {
    if (strategy === null) return this.#account;
    const known = this.#byStrategy.get(strategy);
    if (known) return known;
    const rate = new Rate();
    this.#byStrategy.set(strategy, rate);
    return rate;
  }
}
