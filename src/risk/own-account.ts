// What one strategy holds and has asked for itself, as if it were the account: what its own limits and its capital are
// compared with. Must never make room in the account: whatever passes here must pass the account's rules as well.
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Order } from '../domain/order.ts';
import { type Money, NO_MONEY, money, subtractMoney } from '../domain/units.ts';
import type { Stakes } from '../state/equity.ts';
import type { State } from '../state/state.ts';
import type { StrategyBook } from '../state/strategy-books.ts';
import type { Capital } from '../state/view-sources.ts';
import { Exposure } from './exposure.ts';
import type { FeeBook } from './fee-book.ts';

/** What an own account is made of. */
export interface OwnAccountOptions {
  readonly state: State;
  readonly strategy: StrategyName;
  readonly fees: FeeBook;
  /** `null` when nothing was allotted. */
  readonly capital: Money | null;
}

/** One strategy's own. */
export class OwnAccount {
  readonly #state: State;
  readonly #strategy: StrategyName;
  readonly stakes: Stakes;
  readonly exposure: Exposure;
  readonly allotted: Money | null;

  constructor({ state, strategy, fees, capital }: OwnAccountOptions) {
    this.#state = state;
    this.#strategy = strategy;
    this.allotted = capital;
    const { markets, orders, succession } = state;
    // Also what an earlier session left resting for it: what that trades will be its own.
    const isOwn = (order: Order): boolean => succession.ownerOf(order) === strategy;
    this.stakes = {
      markets,
      orders: {
        openIn: (market) => orders.openIn(market).filter(isOwn),
        busyMarkets: () => orders.busyMarkets(),
        moved: orders.moved,
      },
      portfolio: {
        position: (market: MarketIndex) => this.#book.position(market),
        positions: () => this.#book.positions(),
        moved: state.strategyBooks.moved,
      },
    };
    this.exposure = new Exposure(this.stakes, fees);
  }

  get #book(): StrategyBook {
    return this.#state.strategyBooks.of(this.#strategy);
  }

  /** What is left of what was allotted: less what was lost for good. What was earned adds nothing. */
  get left(): Money | null {
    if (this.allotted === null) return null;
    const { earned } = this.#book;
    return money(Math.max(0, this.allotted + Math.min(0, earned)));
  }

  /** What it may lose, and could. */
  capital(): Capital {
    const used = this.exposure.total();
    const { allotted, left } = this;
    return { allotted, used, free: left === null ? null : money(Math.max(NO_MONEY, subtractMoney(left, used))) };
  }
}
