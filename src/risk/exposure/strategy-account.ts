// The positions and orders of one strategy, as if they were the account. Must never make room in the account: every
// order must pass the account's rules as well.
import type { MarketIndex, StrategyName } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import { type Money, NO_MONEY, money, subtractMoney } from '../../domain/units.ts';
import type { Stakes } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';
import type { StrategyLedger } from '../../state/strategies/strategy-ledgers.ts';
import type { Capital } from '../../state/view-sources.ts';
import { Exposure } from './exposure.ts';
import type { FeeSchedules } from './fee-schedules.ts';

export interface StrategyAccountOptions {
  readonly state: State;
  readonly strategy: StrategyName;
  readonly fees: FeeSchedules;
  /** `null` when the strategy has no allotment. */
  readonly capital: Money | null;
}

/** The account of one strategy. */
export class StrategyAccount {
  readonly #state: State;
  readonly #strategy: StrategyName;
  readonly stakes: Stakes;
  readonly exposure: Exposure;
  readonly allotted: Money | null;

  constructor({ state, strategy, fees, capital }: StrategyAccountOptions) {
    this.#state = state;
    this.#strategy = strategy;
    this.allotted = capital;
    const { markets, orders, ledgerHandover } = state;
    // Orders of an earlier session count: their fills will be the strategy's.
    const isOwn = (order: Order): boolean => ledgerHandover.ownerOf(order) === strategy;
    this.stakes = {
      markets,
      orders: {
        openIn: (market) => orders.openIn(market).filter(isOwn),
        marketsWithOpenOrders: () => orders.marketsWithOpenOrders(),
        changedMarkets: orders.changedMarkets,
      },
      portfolio: {
        position: (market: MarketIndex) => this.#ledger.position(market),
        positions: () => this.#ledger.positions(),
        changedMarkets: state.strategyLedgers.changedMarkets,
      },
    };
    this.exposure = new Exposure(this.stakes, fees);
  }

  get #ledger(): StrategyLedger {
    return this.#state.strategyLedgers.ledgerOf(this.#strategy);
  }

  /** The allotment less realized losses. Profits add nothing. `null` without an allotment. */
  get capitalLeft(): Money | null {
    if (this.allotted === null) return null;
    const { earned } = this.#ledger;
    return money(Math.max(0, this.allotted + Math.min(0, earned)));
  }

  capitalFigures(): Capital {
    const used = this.exposure.totalLoss();
    const { allotted, capitalLeft } = this;
    return {
      allotted,
      used,
      free: capitalLeft === null ? null : money(Math.max(NO_MONEY, subtractMoney(capitalLeft, used))),
    };
  }
}
