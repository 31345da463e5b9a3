// Counts a session's activity from the engine's notices, by strategy and by code. No decision depends on it.
import type { AlarmCode } from '../../domain/alarm.ts';
import type { DenialCode } from '../../domain/denial.ts';
import type { StrategyName } from '../../domain/ids.ts';
import { type Money, NO_MONEY, NO_QTY, type Qty, addMoney, addQty } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';

/** The counts of one strategy. */
export interface StrategyTally {
  readonly name: StrategyName;
  orders: number;
  fills: number;
  /** Contracts traded, in hundredths. */
  filledQty: Qty;
  fees: Money;
  canceled: number;
  rejected: number;
  unknown: number;
  readonly denials: Map<DenialCode, number>;
  haltedBy: string | null;
}

/** The counts of a whole session. */
export class SessionTally {
  readonly #byStrategy = new Map<StrategyName, StrategyTally>();
  /** Requests that the venue's rate limits refused, by budget. */
  rateLimited = { read: 0, trade: 0 };
  readFailures = 0;
  settlements = 0;
  settledMoney: Money = NO_MONEY;
  readonly alarms = new Map<AlarmCode, number>();
  /** Reported differences from the venue's figures. */
  drifts = 0;

  constructor(strategies: readonly StrategyName[]) {
    for (const name of strategies) this.strategyTally(name);
  }

  strategyTally(name: StrategyName): StrategyTally {
    const known = this.#byStrategy.get(name);
    if (known) return known;
    const zero: StrategyTally = {
      name,
      orders: 0,
      fills: 0,
      filledQty: NO_QTY,
      fees: NO_MONEY,
      canceled: 0,
      rejected: 0,
      unknown: 0,
      denials: new Map(),
      haltedBy: null,
    };
    this.#byStrategy.set(name, zero);
    return zero;
  }

  strategies(): readonly StrategyTally[] {
    return [...this.#byStrategy.values()];
  }

  countNotice(notice: Notice): void {
    switch (notice.type) {
      case 'approved':
        this.strategyTally(notice.strategy).orders += 1;
        return;
      case 'denied':
        return this.#countDenial(notice);
      case 'fill':
        return this.#countFill(notice);
      case 'order':
        return this.#countOrder(notice);
      case 'halt':
        if (notice.halt.scope.type === 'strategy')
          this.strategyTally(notice.halt.scope.strategy).haltedBy = notice.halt.reason;
        return;
      case 'resumed':
        if (notice.scope.type === 'strategy') this.strategyTally(notice.scope.strategy).haltedBy = null;
        return;
      case 'rate-limited':
        this.rateLimited[notice.budget] += 1;
        return;
      case 'read-failed':
        this.readFailures += 1;
        return;
      case 'settled':
        this.settlements += 1;
        this.settledMoney = addMoney(this.settledMoney, notice.paid);
        return;
      case 'alarm':
        this.alarms.set(notice.code, (this.alarms.get(notice.code) ?? 0) + 1);
        return;
      case 'position-drift':
      case 'cash-drift':
        this.drifts += 1;
        return;
      case 'trust':
      case 'private-feed':
      case 'feed':
      case 'market':
      case 'evicted':
      case 'unexpected-order':
      case 'canceled-for-us':
      case 'surprise':
      case 'losses':
      case 'books':
      case 'override':
      case 'barred':
      case 'phase':
      case 'withdrawn':
      case 'flattening':
      case 'flattened':
      case 'saved':
      case 'forecast':
      case 'suspicion':
      case 'reconciled':
    }
  }

  #countDenial({ strategy, denial }: Extract<Notice, { type: 'denied' }>): void {
    const { denials } = this.strategyTally(strategy);
    denials.set(denial.code, (denials.get(denial.code) ?? 0) + 1);
  }

  #countFill({ order, fill }: Extract<Notice, { type: 'fill' }>): void {
    if (!order) return;
    const tally = this.strategyTally(order.strategy);
    tally.fills += 1;
    tally.filledQty = addQty(tally.filledQty, fill.qty);
    tally.fees = addMoney(tally.fees, fill.fee);
  }

  #countOrder({ order, to }: Extract<Notice, { type: 'order' }>): void {
    const tally = this.strategyTally(order.strategy);
    if (to === 'canceled') tally.canceled += 1;
    if (to === 'rejected') tally.rejected += 1;
    if (to === 'unknown') tally.unknown += 1;
  }
}
