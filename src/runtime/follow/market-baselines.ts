// Each market's profit at the beginning of the UTC day, or at a later beginning of the account's figures. Must never begin
// a day at another moment than the account's profit, nor value a position otherwise.
import type { MarketIndex } from '../../domain/ids.ts';
import { type Money, NO_MONEY, subtractMoney } from '../../domain/units.ts';
import type { DayStart } from '../../risk/losses/loss-watch.ts';
import { marketProfit } from '../../risk/losses/market-profits.ts';
import type { State } from '../../state/state.ts';

/** The account, as far as its day has begun. */
interface AccountDay {
  readonly dayStart: DayStart | null;
}

/** Profits of the day, by market. */
export class MarketBaselines {
  readonly #state: State;
  readonly #account: AccountDay;
  #day: string | null = null;

  constructor(state: State, account: AccountDay) {
    this.#state = state;
    this.#account = account;
  }

  /** Returns true, once a day, when the account's profit has begun the day. */
  startDay(): boolean {
    const day = this.#account.dayStart?.day ?? null;
    if (day === this.#day) return false;
    this.#day = day;
    return true;
  }

  /** Profit of a market since the day of the account began, in millionths of a dollar. */
  dayProfit(market: MarketIndex): Money {
    const { dayStart } = this.#account;
    if (dayStart === null) return NO_MONEY;
    return subtractMoney(marketProfit(this.#state, market), dayStart.markets.get(market) ?? NO_MONEY);
  }
}
