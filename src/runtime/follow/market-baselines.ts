// Each market's profit at the beginning of the UTC day, or at a later beginning of the session. Must never count a
// position's value before a book has priced the position. A day that begins during the session must begin at the same
// check as the account's.
import type { MarketIndex } from '../../domain/ids.ts';
import { type Money, NO_MONEY, addMoney, money, subtractMoney } from '../../domain/units.ts';
import type { DayStart } from '../../risk/losses/loss-watch.ts';
import { closedProfit } from '../../risk/losses/market-profits.ts';
import { dayOf } from '../../risk/losses/utc-day.ts';
import { unrealized } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';

/** Profit of a market at a moment. `closed` is realized, after fees; `open` is unrealized. */
interface Baseline {
  readonly closed: Money;
  /** `null` until a book has priced the position. */
  open: Money | null;
}

/** The account, as far as its day has begun. */
interface AccountDay {
  readonly dayStart: DayStart | null;
}

/** Profits of the day, by market. */
export class MarketBaselines {
  readonly #state: State;
  readonly #account: AccountDay;
  /**
   * Baselines by market. Added for each position when the day or the session begins; removed when the next day begins,
   * or by `dropBaseline`.
   */
  #byMarket = new Map<MarketIndex, Baseline>();
  #day = '';

  constructor(state: State, account: AccountDay) {
    this.#state = state;
    this.#account = account;
  }

  /**
   * Begins the day's figures, once a day and only while the account is open: those of a session that runs over midnight
   * with the last check before it, as soon as the account's profit has begun the day. Returns true when the figures began
   * now.
   */
  startDay(): boolean {
    const { portfolio, now } = this.#state;
    if (!portfolio.isOpen) return false;
    const day = dayOf(now);
    if (day === this.#day) return false;
    const { dayStart } = this.#account;
    if (dayStart !== null && dayStart.day !== day) return false;
    this.#day = day;
    const evening = dayStart?.markets ?? null;
    this.#byMarket = evening === null ? this.#baselinesNow() : new Map(evening);
    return true;
  }

  #baselinesNow(): Map<MarketIndex, Baseline> {
    const state = this.#state;
    const markets = [...state.portfolio.positions().keys()];
    return new Map(
      markets.map((market) => [market, { closed: closedProfit(state, market), open: this.#openIfPriced(market) }]),
    );
  }

  #openIfPriced(market: MarketIndex): Money | null {
    const state = this.#state;
    if (state.portfolio.position(market).qty === 0) return NO_MONEY;
    const settled = state.markets.get(market)?.settlementValue ?? null;
    const isPriced = settled !== null || state.books.isLive(market);
    return isPriced ? unrealized(state, market) : null;
  }

  /** Profit of a market since the day or the session began, in millionths of a dollar. */
  dayProfit(market: MarketIndex): Money {
    if (this.#day === '') return NO_MONEY;
    const before = this.#byMarket.get(market);
    const open = this.#openIfPriced(market);
    if (before?.open === null) before.open = open;
    const openBefore = before?.open ?? NO_MONEY;
    const closedBefore = before?.closed ?? NO_MONEY;
    return addMoney(
      subtractMoney(closedProfit(this.#state, market), closedBefore),
      money((open ?? openBefore) - openBefore),
    );
  }

  /** Drops a market, because its index may be used again. */
  dropBaseline(market: MarketIndex): void {
    this.#byMarket.delete(market);
  }
}
